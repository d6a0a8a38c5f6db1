import type { Writable } from 'node:stream';

/** What a command may touch of its process; main.ts hands over the real one. */
export interface Io {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Writable;
  readonly err: Writable;
  /** Calls `handler` at each such signal; the answer ends that. */
  onSignal(signal: 'SIGINT' | 'SIGTERM', handler: () => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Exit codes that scripts can rely on. */
export const EXIT = {
  ok: 0,
  /** It was tried and did not work: the service refused, the port is taken, a delivery failed. */
  failed: 1,
  /** It was not tried: wrong arguments or settings. */
  usage: 2,
} as const;
