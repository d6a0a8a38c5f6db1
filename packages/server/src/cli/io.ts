import type { Readable, Writable } from 'node:stream';

/** A stream that may be a terminal. */
export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** What a command may touch of its process; main.ts hands over the real one. */
export interface Io {
  readonly version: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly in: Readable & { readonly isTTY?: boolean };
  /** What was asked for: what a pipe should carry. */
  readonly out: Screen;
  /** What is said about it: progress, refusals, questions. */
  readonly err: Screen;
  /** Number of the user that runs it; absent on Windows. */
  readonly uid: number | undefined;
  /** Calls `handler` at each such signal; the answer ends that. */
  onSignal(signal: 'SIGINT' | 'SIGTERM', handler: () => void): () => void;
  /** Calls `handler` at the end of the process, however that comes. */
  onExit(handler: () => void): void;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Exit codes that scripts can rely on. */
export const EXIT = {
  ok: 0,
  /** It was tried and did not work: the service refused, the port is taken, a delivery failed. */
  failed: 1,
  /** It was not tried: wrong arguments, settings or files. */
  usage: 2,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An expected end of a command that could not do what it was asked: its message is printed, without a stack. */
export class CommandFailure extends Error {
  override readonly name: string = 'CommandFailure';
  readonly exitCode: ExitCode;

  constructor(message: string, options: { readonly exitCode?: ExitCode; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT.failed;
  }
}

/** Wrong arguments, or a file that can't be used: nothing was tried. */
export function usageFailure(message: string, cause?: unknown): CommandFailure {
  return new CommandFailure(message, { exitCode: EXIT.usage, cause });
}

/** For `catch`: says what could not be done, and why. A failure that was said already passes. */
export function failing(what: string, exitCode: ExitCode = EXIT.failed): (error: unknown) => never {
  return (cause) => {
    if (cause instanceof CommandFailure) throw cause;
    throw new CommandFailure(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { exitCode, cause });
  };
}
