/** What differs between runtimes. Tests pass one whose clock they control. */
export interface Runtime {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds. The returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  /** A random number from 0 up to, but not including, 1. */
  random(): number;
  /** A random UUID. */
  uuid(): string;
  /** Keeps the process alive until the returned function is called. */
  hold?(): () => void;
  /** Whether the user switched debugging of `analytics` on. */
  debug?(): boolean;
  /** Most bytes of a request's body. */
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
