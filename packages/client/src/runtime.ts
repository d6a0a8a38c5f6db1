/** What differs from one runtime to the next. Tests bring one whose time they move themselves. */
export interface Runtime {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds; the answer cancels it. */
  after(ms: number, run: () => void): () => void;
  /** From 0 up to 1. */
  random(): number;
  /** A random UUID. */
  uuid(): string;
  /** Keeps the process alive until the answer is called. */
  hold?(): () => void;
  /** Whether the user asked for `analytics` to be debugged. */
  debug?(): boolean;
  /** Body bytes of one request. */
  readonly batchBytes: number;
}

/** Any runtime with the web's standard interfaces: edge workers, Deno, Bun. */
export const standard: Runtime = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
  uuid: () => crypto.randomUUID(),
  batchBytes: 500_000,
};
