import type { Timer } from './timer.ts';

/** Time as an argument, so that a simulation can run hours in milliseconds. A timer never keeps the process alive. */
export interface Clock extends Timer {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * How much of the time since `at` did not really pass, milliseconds: somebody set the machine's clock forward, or the machine
   * slept. Absent for a clock that never jumps.
   */
  skipped?(at: number): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    // setTimeout counts in 31 bits: a longer wait ends early, and its caller looks at the clock again.
    const timer = setTimeout(run, Math.min(ms, 0x7fffffff));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** When what is from a time will be older than `length` milliseconds. A jump of the clock since then adds no age to it. */
export function agedAt(clock: Clock, at: number, length: number): number {
  return at + length + (clock.skipped?.(at) ?? 0);
}

/**
 * Everything from before the answered time (milliseconds since the epoch) is older than `length` milliseconds. A jump of the
 * clock adds no age to what was there before it.
 */
export function agedBefore(clock: Clock, length: number): number {
  const skipped = (at: number): number => clock.skipped?.(at) ?? 0;
  const end = clock.now() - length;
  let [before, next] = [Number.NEGATIVE_INFINITY, end - skipped(Number.NEGATIVE_INFINITY)];
  while (next > before) [before, next] = [next, end - skipped(next)];
  return Math.floor(before);
}
