import { expect, test } from 'vitest';
import { placeOf, ticksUpTo } from './time-scale.ts';

test('begins at 0, ends at 1, and later is never before earlier', () => {
  const end = 14_400_000;
  expect([placeOf(0, end), placeOf(end, end), placeOf(-5, end), placeOf(2 * end, end)]).toEqual([0, 1, 0, 1]);
  const places = [0, 10, 80, 5_000, 15_000, 600_000, end].map((at) => placeOf(at, end));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('attempts of exponential retries stand apart', () => {
  const rounds = [5_000, 15_000, 35_000, 75_000, 155_000].map((at) => placeOf(at, 315_000));
  for (let i = 1; i < rounds.length; i += 1) expect((rounds[i] ?? 0) - (rounds[i - 1] ?? 0)).toBeGreaterThan(0.05);
});

test('ticks are round, within the line and apart', () => {
  expect(ticksUpTo(1_000)).toEqual([0, 100, 1_000]);
  const ticks = ticksUpTo(14_400_000);
  const places = ticks.map((tick) => placeOf(tick, 14_400_000));
  expect(places[0]).toBe(0);
  for (let i = 1; i < places.length; i += 1) expect((places[i] ?? 0) - (places[i - 1] ?? 0)).toBeGreaterThan(0.15);
});
