import type { Timer } from './timer.ts';

/** Time as an argument, so that a simulation can run hours in milliseconds. What waits never keeps the process alive. */
export interface Clock extends Timer {
  /** Milliseconds since the epoch. */
  now(): number;
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

/**
 * The time (milliseconds since the epoch) before which everything is older than `length` milliseconds. Time that the clock skipped does
 * not count for what was there before the jump.
 */
export function agedBefore(clock: Clock, length: number): number {
  const skipped = (at: number): number => clock.skipped?.(at) ?? 0;
  const end = clock.now() - length;
  let [before, next] = [Number.NEGATIVE_INFINITY, end - skipped(Number.NEGATIVE_INFINITY)];
  while (next > before) [before, next] = [next, end - skipped(next)];
  return Math.floor(before);
}
