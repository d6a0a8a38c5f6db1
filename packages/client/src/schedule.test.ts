import { describe, expect, test } from 'vitest';
import { errorOf } from './error.ts';
import { FRESH, nextStep } from './schedule.ts';

const HOUR = 3_600_000;

function failure(status: number | null, retryAfter = Number.NaN, again = true) {
  return { error: errorOf('any', '', status === null ? {} : { status }), again, retryAfter };
}

describe('the wait after a failure', () => {
  test.each([
    [1, 100],
    [2, 200],
    [3, 400],
    [4, 800],
    [5, 1_600],
    [6, 3_200],
    [7, 6_400],
    [8, 10_000],
    [9, 10_000],
    [1_000, 10_000],
    [1_100, 10_000],
  ])('number %i is %i ms, cut by up to a half', (count, ms) => {
    const tries = { failures: count - 1, throttled: 0 };
    const wait = (random: number): number => nextStep(failure(500), tries, 2_000, random).wait;
    expect([wait(0), wait(0.5), wait(1)]).toEqual([ms, ms * 0.75, ms / 2]);
  });

  test.each([
    ['is no shorter than Retry-After', 503, 30_000, 30_000],
    ['is no shorter than the schedule', 503, 20, 100],
    ['is at most an hour', 503, 5 * HOUR, HOUR],
    ['counts from a date that has passed', 500, 0, 100],
    ['needs no answer', null, Number.NaN, 100],
    ['is that of the schedule for a 429 without Retry-After', 429, Number.NaN, 100],
  ])('%s', (_, status, retryAfter, wait) => {
    const step = nextStep(failure(status, retryAfter), FRESH, 10, 0);
    expect(step).toEqual({ tries: { failures: 1, throttled: 0 }, wait, giveUp: false });
  });
});

describe('the end', () => {
  test.each([
    ['one attempt is left', 10, 8, true, false],
    ['that was the last attempt', 10, 9, true, true],
    ['there was to be only one', 1, 0, true, true],
    ['another would come to the same', 10, 0, false, true],
  ])('%s', (_, maxAttempts, failures, again, giveUp) => {
    const step = nextStep(failure(500, 7_000, again), { failures, throttled: 0 }, maxAttempts, 0);
    expect(step.giveUp).toBe(giveUp);
    if (giveUp) expect(step.wait).toBe(0);
  });
});

describe('a 429 with Retry-After', () => {
  test.each([
    ['waits that long', 7_000, 0, 7_000, false],
    ['waits a second at least', 0, 0, 1_000, false],
    ['may use up the hour', 1_000, HOUR - 1_000, 1_000, false],
    ['waits no longer than what is left of the hour', 1_001, HOUR - 1_000, 1_000, true],
    ['ends at once when nothing is left', 1_000, HOUR, 0, true],
    ['of more than an hour waits for the hour', 2 * HOUR, 0, HOUR, true],
  ])('%s', (_, retryAfter, throttled, wait, giveUp) => {
    const step = nextStep(failure(429, retryAfter), { failures: 3, throttled }, 4, 0.5);
    expect(step).toEqual({ tries: { failures: 3, throttled: throttled + wait }, wait, giveUp });
  });
});
