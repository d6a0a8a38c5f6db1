import { expect, test } from 'vitest';
import { boundsOf, isLive, localInput, shownRange } from './range.ts';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');

test('a live range ends now', () => {
  expect(boundsOf({ last: '7d' }, NOW)).toEqual({ from: '2026-11-14T10:00:00.000Z', to: '2026-11-21T10:00:00.000Z' });
  expect(isLive({ last: '1h' })).toBe(true);
});

test('a chosen range stays', () => {
  const range = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' };
  expect(boundsOf(range, NOW)).toEqual(range);
  expect(isLive(range)).toBe(false);
});

test('of a time that is longer than charts can show, its end is shown', () => {
  const to = '2026-01-02T00:00:00.000Z';
  expect(shownRange({ from: '2020-01-01', to })).toEqual({ from: '2025-03-09T00:00:00.000Z', to });
  const long = { from: '2025-03-09T00:00:00.000Z', to };
  expect(shownRange(long)).toEqual(long);
});

test("an input's text is the viewer's time, and reads back as the same moment", () => {
  expect(localInput(new Date(2026, 0, 2, 3, 4, 5))).toBe('2026-01-02T03:04');
  expect(new Date(localInput(new Date(NOW))).getTime()).toBe(NOW);
});
