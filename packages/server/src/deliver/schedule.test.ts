import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstRounds, nextRound, type RetryPolicy } from './schedule.ts';

const policy: RetryPolicy = { base: 5_000, cap: 600_000, window: 14_400_000 };

/** Times of all rounds after the first, with endpoints that answer at once. */
function rounds(random: number, firstAt = 0): number[] {
  const times: number[] = [];
  for (let now = firstAt; ; ) {
    const next = nextRound({ rounds: times.length + 1, firstAt, now, retryAfter: null, random }, policy);
    if (next === null) return times;
    now = next;
    times.push(now);
  }
}

const ALMOST_ONE = 1 - Number.EPSILON;

test('the table above the function is true', () => {
  const latest = rounds(ALMOST_ONE);
  const seconds = [5, 15, 35, 75, 155, 315, 635, 1235, 1835];
  expect(latest.slice(0, 9)).toEqual(seconds.map((s) => s * 1000));
  expect(rounds(0).slice(0, 9)).toEqual(seconds.map((s) => s * 500));
  expect(latest.at(-1)).toBe(policy.window);
  expect(rounds(0).at(-1)).toBe(policy.window);
  expect([latest.length + 1, rounds(0).length + 1]).toEqual([31, 55]);
});

describe('the schedule as a table', () => {
  test('has the first rounds, with their waits and when they are at the earliest and at the latest', () => {
    const table = firstRounds(policy, 12);
    expect(table.map(({ sinceFirstAtMost }) => sinceFirstAtMost)).toEqual(rounds(ALMOST_ONE).slice(0, 11));
    expect(table.map(({ sinceFirstAtLeast }) => sinceFirstAtLeast)).toEqual(rounds(0).slice(0, 11));
    expect(table.slice(0, 2)).toEqual([
      { round: 2, waitAtLeast: 2_500, waitAtMost: 5_000, sinceFirstAtLeast: 2_500, sinceFirstAtMost: 5_000 },
      { round: 3, waitAtLeast: 5_000, waitAtMost: 10_000, sinceFirstAtLeast: 7_500, sinceFirstAtMost: 15_000 },
    ]);
  });

  test('ends with the window', () => {
    const table = firstRounds({ ...policy, window: 60_000 }, 12);
    expect(table.map(({ sinceFirstAtLeast }) => sinceFirstAtLeast)).toEqual([2_500, 7_500, 17_500, 37_500, 60_000]);
    expect(table.map(({ sinceFirstAtMost }) => sinceFirstAtMost)).toEqual([5_000, 15_000, 35_000, 60_000, 60_000]);
  });

  test('for any policy: each round of any message is within it', () => {
    const ms = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(
        ms(10_000),
        ms(600_000),
        ms(604_800_000),
        fc.array(random, { minLength: 11, maxLength: 11 }),
        (base, cap, window, chances) => {
          const own = { base, cap, window };
          const table = firstRounds(own, 12);
          let now = 0;
          for (const [i, chance] of chances.entries()) {
            const next = nextRound({ rounds: i + 1, firstAt: 0, now, retryAfter: null, random: chance }, own);
            if (next === null) return;
            now = next;
            expect(now).toBeGreaterThanOrEqual(table[i]?.sinceFirstAtLeast ?? Number.NaN);
            expect(now).toBeLessThanOrEqual(table[i]?.sinceFirstAtMost ?? Number.NaN);
          }
        },
      ),
    );
  });
});

describe('Retry-After', () => {
  const state = { rounds: 1, firstAt: 0, now: 1_000, random: 0 };

  test('moves the round back when it is later', () => {
    expect(nextRound({ ...state, retryAfter: 60_000 }, policy)).toBe(61_000);
  });

  test('does not bring it forward', () => {
    expect(nextRound({ ...state, retryAfter: 0 }, policy)).toBe(3_500);
  });

  test('never moves it past the end of the window', () => {
    expect(nextRound({ ...state, retryAfter: 10 * policy.window }, policy)).toBe(policy.window);
  });
});

test('a round that ends at the end of the window, or long after it, was the last', () => {
  for (const now of [policy.window, policy.window + 1, policy.window * 100]) {
    expect(nextRound({ rounds: 3, firstAt: 0, now, retryAfter: null, random: 0.5 }, policy)).toBe(null);
  }
});

test('a window that ended while nothing ran gets exactly one more round', () => {
  const scheduled = nextRound({ rounds: 1, firstAt: 0, now: 100, retryAfter: null, random: 0.5 }, policy);
  expect(scheduled).toBeLessThan(policy.window);
  const resumed = policy.window * 3;
  expect(nextRound({ rounds: 2, firstAt: 0, now: resumed, retryAfter: null, random: 0.5 }, policy)).toBe(null);
});

test('for any state: later than now, within the window, and within its bounds', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const state = fc.record({
    rounds: fc.integer({ min: 1, max: 5_000 }),
    firstAt: fc.integer({ min: 0, max: 2e12 }),
    elapsed: fc.integer({ min: 0, max: 20_000_000 }),
    retryAfter: fc.option(fc.integer({ min: 0, max: 86_400_000 })),
    random,
  });
  fc.assert(
    fc.property(state, ({ elapsed, ...rest }) => {
      const now = rest.firstAt + elapsed;
      const end = rest.firstAt + policy.window;
      const next = nextRound({ ...rest, now }, policy);
      if (now >= end) {
        expect(next).toBe(null);
        return;
      }
      const dueAt = next ?? 0;
      expect(dueAt).toBeGreaterThan(now);
      expect(dueAt).toBeLessThanOrEqual(end);
      const longest = Math.min(policy.base * 2 ** (rest.rounds - 1), policy.cap);
      const asked = rest.retryAfter ?? 0;
      expect(dueAt).toBeGreaterThanOrEqual(Math.min(now + Math.max(longest / 2, asked), end));
      expect(dueAt).toBeLessThanOrEqual(Math.ceil(now + Math.max(longest, asked)));
    }),
  );
});

test('the waits grow to the cap, whatever the luck', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
      const times = [0, ...rounds(random)];
      const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      const grown = waits.slice(0, -1);
      for (let index = 1; index < grown.length; index++) {
        expect(grown[index] ?? 0).toBeGreaterThanOrEqual((grown[index - 1] ?? 0) - 1);
      }
      expect(Math.max(...waits)).toBeLessThanOrEqual(policy.cap);
    }),
  );
});
