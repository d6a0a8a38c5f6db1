import { expect, test } from 'vitest';
import { local, localMinute, relative, utc } from './moment.ts';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');

test.each([
  [0, 'now'],
  [-999, 'now'],
  [1_999, 'now'],
  [2_000, 'in 2 sec.'],
  [-4_000, '4 sec. ago'],
  [90_000, 'in 1 min.'],
  [-7_200_000, '2 hr. ago'],
  [-172_800_000, '2 days ago'],
])('%s ms from now is %s', (distance, text) => {
  expect(relative(NOW + distance, NOW)).toBe(text);
});

test('UTC is written whole', () => {
  expect(utc(new Date(NOW + 7))).toBe('2026-11-21 10:00:00.007 UTC');
});

test('a moment is written one way, with its zone', () => {
  const at = new Date(2026, 10, 21, 9, 5, 30, 7);
  expect(local(at)).toMatch(/^21 Nov 2026, 09:05:30\.007 \S+$/);
  expect(localMinute(at)).toMatch(/^21 Nov 2026, 09:05 \S+$/);
});
