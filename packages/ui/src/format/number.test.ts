import { expect, test } from 'vitest';
import { bytes, count, duration, perSecond } from './number.ts';

test.each([
  [null, '–'],
  [0.4, '0 ms'],
  [412.3, '412 ms'],
  [4100, '4.1 s'],
  [59_000, '59 s'],
  [90_000, '1.5 min'],
  [7_200_000, '2 h'],
  [172_800_000, '2 d'],
])('%s ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test('counts are grouped, rates keep what matters', () => {
  expect(count(1_234_567)).toBe('1,234,567');
  expect([0, 0.42, 9.96, 5000].map(perSecond)).toEqual(['0/s', '0.42/s', '10/s', '5,000/s']);
});

test('sizes are in steps of a thousand', () => {
  expect([1, 412, 4_100, 104_000_000, 2_500_000_000].map(bytes)).toEqual([
    ...['1 byte', '412 bytes', '4.1 kB', '104 MB', '2.5 GB'],
  ]);
});
