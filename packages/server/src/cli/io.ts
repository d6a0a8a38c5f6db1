import type { Readable, Writable } from 'node:stream';

/** A stream that may be a terminal. */
export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The parts of the process that a command may use. main.ts passes the real ones. */
export interface Io {
  readonly version: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly in: Readable & { readonly isTTY?: boolean };
  /** The requested output: what a pipe should carry. */
  readonly out: Screen;
  /** Everything else: progress, errors, questions. */
  readonly err: Screen;
  /** Id of the user who runs the process; absent on Windows. */
  readonly uid: number | undefined;
  /** Calls `handler` at each such signal. The answer removes the handler. */
  onSignal(signal: NodeJS.Signals, handler: () => void): () => void;
  /** From now on an error of `out` is reported and does not end the process. */
  outMayFail(): void;
  /** Calls `handler` when the process ends, in whatever way. */
  onExit(handler: () => void): void;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Exit codes that scripts can rely on. */
export const EXIT = {
  ok: 0,
  /** Tried and failed: the service refused, the port is in use, a delivery failed. */
  failed: 1,
  /** Not tried: wrong arguments, settings or files. */
  usage: 2,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An expected failure of a command. Its message is printed without a stack. */
export class CommandFailure extends Error {
  override readonly name: string = 'CommandFailure';
  readonly exitCode: ExitCode;

  constructor(message: string, options: { readonly exitCode?: ExitCode; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT.failed;
  }
}

/** A failure by wrong arguments or an unusable file: nothing was tried. */
export function usageFailure(message: string, cause?: unknown): CommandFailure {
  return new CommandFailure(message, { exitCode: EXIT.usage, cause });
}

/** A handler for `catch`: throws a failure that says what could not be done, and why. A CommandFailure is passed on unchanged. */
export function failing(what: string, exitCode: ExitCode = EXIT.failed): (error: unknown) => never {
  return (cause) => {
    if (cause instanceof CommandFailure) throw cause;
    throw new CommandFailure(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { exitCode, cause });
  };
}
