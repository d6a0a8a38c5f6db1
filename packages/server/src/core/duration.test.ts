import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

test.each([
  ['0ms', 0],
  ['500ms', 500],
  ['5s', 5_000],
  ['90s', 90_000],
  ['10m', 600_000],
  ['4h', 14_400_000],
  ['7d', 604_800_000],
])('%s is %i milliseconds', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  ['60s', '1m'],
  ['1000ms', '1s'],
  ['48h', '2d'],
  ['007s', '7s'],
])('%s is written as %s', (text, written) => {
  expect(formatDuration(parseDuration(text) ?? Number.NaN)).toBe(written);
});

test.each(['', '5', '5 s', ' 5s', '5S', '-5s', '1.5h', '5sec', 's', '1h30m', '5s\n', '٥s', '999999999999999999d'])(
  'refuses %j',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test('what is written is read back as it was', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (ms) => {
      expect(parseDuration(formatDuration(ms))).toBe(ms);
    }),
  );
});

test('every count of every unit is read, and a larger unit is never shorter', () => {
  const units = ['ms', 's', 'm', 'h', 'd'] as const;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (count) => {
      const lengths = units.map((unit) => parseDuration(`${count}${unit}`) ?? 0);
      expect(lengths[0]).toBe(count);
      expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
    }),
  );
});

test('any text is read as a whole number of milliseconds or not at all', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const ms = parseDuration(text);
      expect(ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true);
    }),
  );
});
