import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LiveSampler, TICKS } from './live-sampler.ts';

/** Offers so many numbers before each tick; answers what each tick sent. */
function run(offers: readonly number[]): (readonly number[])[] {
  const sampler = new LiveSampler<number>();
  let next = 0;
  return offers.map((count) => {
    for (let i = 0; i < count; i++) sampler.offer(next++);
    return sampler.tick();
  });
}

const second = (count: number): number[] => new Array<number>(TICKS).fill(count);

test('few items go out all and at once, in their order', () => {
  expect(run([1, 0, 5, 2, 0, 3])).toEqual([[0], [], [1, 2, 3, 4, 5], [6, 7], [], [8, 9, 10]]);
});

test('a burst that fits in the second goes out whole', () => {
  const sent = run([40, ...second(0)]);
  expect(sent.flat()).toEqual(Array.from({ length: 40 }, (_, i) => i));
  expect(Math.max(...sent.map((items) => items.length))).toBe(5);
});

test.each([60, 500, 5_000])('of %i in every tick, 50 a second go out, from all over the second', (count) => {
  const sent = run([...second(count), ...second(count)]);
  for (const part of [sent.slice(0, TICKS), sent.slice(TICKS)]) expect(part.flat()).toHaveLength(50);
  const tenths = new Array<number>(2 * TICKS).fill(0);
  for (const item of sent.flat()) {
    const tenth = Math.floor(item / count);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  expect(Math.min(...tenths)).toBeGreaterThan(0);
  expect(Math.max(...tenths)).toBeLessThanOrEqual(6);
});

test('of one burst that is too large, items from its whole length go out', () => {
  const items = run([10_000, ...second(0)]).flat();
  expect(items).toHaveLength(50);
  const gaps = items.slice(1).map((item, i) => item - (items[i] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(500);
});

test('whatever comes: 50 in a second at most, each once, in order, and none is held for longer than that', () => {
  const offers = fc.array(fc.oneof(fc.constant(0), fc.nat(8), fc.nat(1_000)), {
    minLength: TICKS,
    maxLength: 5 * TICKS,
  });
  fc.assert(
    fc.property(offers, (counts) => {
      const whole = counts.slice(0, counts.length - (counts.length % TICKS));
      const sent = run([...whole, ...second(0)]);
      for (let i = 0; i < sent.length; i += TICKS) {
        expect(sent.slice(i, i + TICKS).flat().length).toBeLessThanOrEqual(50);
      }
      const all = sent.flat();
      expect(all).toEqual([...new Set(all)].toSorted((a, b) => a - b));
      expect(sent.slice(whole.length).flat()).toEqual([]);
    }),
  );
});
