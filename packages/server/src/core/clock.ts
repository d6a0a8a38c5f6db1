/** Time as an argument, so that a simulation can run hours in milliseconds. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds; the answer cancels it. Never keeps the process alive. */
  after(ms: number, run: () => void): () => void;
  /**
   * How much of the time since then did not pass, milliseconds: the machine's clock was set forward, or the machine slept. A clock
   * without it never jumps.
   */
  skipped?(at: number): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    // setTimeout counts in 31 bits: a longer wait fires early and its owner looks at the clock again.
    const timer = setTimeout(run, Math.min(ms, 0x7fffffff));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
