import type { MillraceError } from './error.ts';

/** An attempt that delivered nothing. */
export interface Failure {
  readonly error: MillraceError;
  /** False if another attempt would fail in the same way. */
  readonly again: boolean;
  /** Milliseconds that the answer asked to wait; NaN if it named no time. */
  readonly retryAfter: number;
}

/** The earlier attempts of a batch. */
export interface Tries {
  /** Attempts that count against `maxAttempts`. */
  readonly failures: number;
  /** Milliseconds waited after answers 429 with Retry-After. Those attempts don't count. */
  readonly throttled: number;
}

/** What follows a failed attempt: a wait, then another attempt or the end. */
export interface Step {
  readonly tries: Tries;
  readonly wait: number;
  readonly giveUp: boolean;
}

export const FRESH: Tries = { failures: 0, throttled: 0 };

const SECOND = 1_000;
const HOUR = 3_600_000;

/**
 * Waits between attempts, in milliseconds. Each is shortened by a random part of up to a half:
 *
 *     after failure   1    2    3    4     5     6     7      8      9
 *     wait          100  200  400  800  1600  3200  6400  10000  10000
 *
 * After a 429 with Retry-After, waits as long as the header says, at least a second. That attempt does not count. The
 * batch is given up when these waits would exceed an hour in all. With any other status, Retry-After lengthens the
 * wait, up to an hour.
 */
export function nextStep(
  { error, again, retryAfter }: Failure,
  tries: Tries,
  maxAttempts: number,
  random: number,
): Step {
  if (error.status === 429 && retryAfter >= 0) {
    const asked = Math.max(retryAfter, SECOND);
    const left = HOUR - tries.throttled;
    const wait = Math.min(asked, left);
    return { tries: { ...tries, throttled: tries.throttled + wait }, wait, giveUp: asked > left };
  }
  const failures = tries.failures + 1;
  const giveUp = !again || failures >= maxAttempts;
  const backoff = Math.min(10_000, 50 * 2 ** failures) * (1 - random / 2);
  const wait = giveUp ? 0 : Math.max(backoff, Math.min(retryAfter || 0, HOUR));
  return { tries: { ...tries, failures }, wait, giveUp };
}
