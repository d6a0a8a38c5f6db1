import { expect, test } from 'vitest';
import { ALWAYS, earlier, holds, nextEdge, overlap } from './span.ts';

const span = { from: 10, until: 20 };

test.each([
  [9, false, 10],
  [10, true, 20],
  [19, true, 20],
  [20, false, null],
])('at %i it holds: %s, and its next edge is %s', (now, held, edge) => {
  expect(holds(span, now)).toBe(held);
  expect(nextEdge(span, now)).toBe(edge);
});

test('what never ends has no edge once it has begun', () => {
  expect(nextEdge(ALWAYS, 5)).toBeNull();
  expect(nextEdge({ from: 7, until: Number.POSITIVE_INFINITY }, 7)).toBeNull();
  expect(nextEdge(null, 5)).toBeNull();
  expect(holds(null, 5)).toBe(false);
});

test('spans that only touch never hold together', () => {
  expect(overlap(span, { from: 20, until: 30 })).toBeNull();
  expect(overlap(span, { from: 15, until: 30 })).toEqual({ from: 15, until: 20 });
  expect(overlap(span, ALWAYS)).toEqual(span);
});

test('never is later than any moment', () => {
  expect([earlier(null, 3), earlier(3, null), earlier(3, 2), earlier(null, null)]).toEqual([3, 3, 2, null]);
});
