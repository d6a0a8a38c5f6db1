import { expect, test } from 'vitest';
import { pausedFor } from './hold.ts';

const at = (second: number): string => new Date(second * 1000).toISOString();

test('time in which one thing or several stood still counts once', () => {
  const hold = (...past: [number, number][]) => ({
    hold: { since: null, past: past.map(([since, until]) => ({ since: at(since), until: at(until) })) },
  });
  const things = [hold([10, 18]), hold([18, 26], [20, 22]), hold([24, 30]), { hold: { since: at(40), past: [] } }, {}];
  expect(pausedFor(things, 0, 50_000)).toBe(30_000);
  expect(pausedFor(things, 12_000, 41_000)).toBe(19_000);
  expect(pausedFor([{}], 0, 50_000)).toBe(0);
});
