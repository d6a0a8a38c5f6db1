import { expect, test } from 'vitest';
import type { Hold } from './destination.ts';
import { pausedFor, resumed } from './hold.ts';

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

test('of many pauses the length stays, and not the time between them', () => {
  let hold: Hold = { since: null, past: [] };
  for (let i = 0; i < 30; i++) {
    hold = resumed({ ...hold, since: at(i * 600) }, at(i * 600 + 60), undefined) ?? hold;
  }
  expect(hold.past).toHaveLength(10);
  expect(pausedFor([{ hold }], 0, 18_000_000)).toBe(30 * 60_000);
});
