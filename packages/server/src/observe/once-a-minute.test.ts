import { expect, test } from 'vitest';
import { onceAMinute } from './once-a-minute.ts';

test('a line is due at once, and then once a minute with the count, by subject', () => {
  let now = 0;
  const due = onceAMinute(() => now);
  expect(Array.from({ length: 5 }, () => due('a'))).toEqual([1, null, null, null, null]);
  expect(due('b')).toBe(1);
  now = 59_999;
  expect(due('a')).toBeNull();
  now = 60_000;
  expect(due('a')).toBe(6);
  // A clock that was set back holds nothing back.
  now = 10;
  expect(due('a')).toBe(1);
});
