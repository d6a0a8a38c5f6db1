import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

/** How many requests begin in each second when one begins as soon as it may. */
function perSecond(pace: Pace, seconds: number): number[] {
  const counts = Array.from({ length: seconds }, () => 0);
  for (let now = 0; now < seconds * 1000; ) {
    const next = pace.nextAt(now);
    if (next !== null) now = next;
    else {
      pace.take(now);
      counts[Math.floor(now / 1000)] = (counts[Math.floor(now / 1000)] ?? 0) + 1;
    }
  }
  return counts;
}

test.each([1, 7, 100, 3_000])('a backlog goes out at %d a second, within 5 %%', (rate) => {
  for (const count of perSecond(new Pace(() => rate), 20))
    expect(Math.abs(count - rate)).toBeLessThanOrEqual(Math.max(1, rate * 0.05));
});

test('what was not used is no more than a twentieth of a second ahead', () => {
  const pace = new Pace(() => 100);
  let begun = 0;
  for (; pace.free(3_600_000); begun++) pace.take(3_600_000);
  expect(begun).toBe(5);
});

test('without a limit there is nothing to wait for, and a limit that is set later holds', () => {
  let rate = Number.POSITIVE_INFINITY;
  const pace = new Pace(() => rate);
  for (let i = 0; i < 1_000; i++) pace.take(0);
  expect([pace.free(0), pace.nextAt(0)]).toEqual([true, null]);
  rate = 10;
  pace.take(1);
  expect([pace.free(1), pace.nextAt(1)]).toEqual([false, 101]);
});

test('a clock that is set back gives nothing away', () => {
  const pace = new Pace(() => 1);
  pace.take(10_000);
  expect(pace.free(0)).toBe(false);
  expect(pace.nextAt(0)).toBe(1_000);
});
