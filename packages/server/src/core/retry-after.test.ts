import { describe, expect, test } from 'vitest';
import { MAX_RETRY_AFTER, parseRetryAfter } from './retry-after.ts';

describe('Retry-After', () => {
  const now = Date.UTC(2026, 10, 6, 8, 49, 37);

  test.each([
    ['0', 0],
    ['1', 1_000],
    [' 120 ', 120_000],
    ['0.5', 500],
    ['-5', 0],
    ['99999999999999999999', MAX_RETRY_AFTER],
    ['Fri, 06 Nov 2026 08:50:37 GMT', 60_000],
    ['Friday, 06-Nov-26 08:50:37 GMT', 60_000],
    ['Fri Nov  6 08:50:37 2026', 60_000],
    ['Fri, 06 Nov 2026 08:49:37 GMT', 0],
    ['Fri, 06 Nov 2020 08:49:37 GMT', 0],
    ['Fri, 06 Nov 2099 08:49:37 GMT', MAX_RETRY_AFTER],
    ['', null],
    ['soon', null],
    ['1e3', null],
    ['0x10', null],
    ['5s', null],
    ['5, 10', null],
    ['NaN', null],
    ['Infinity', null],
    ['2026-11-06T08:50:37Z', null],
    ['Fri, 99 Nov 2026 08:50:37 GMT', null],
    ['Fri, tomorrow 08:50:37 GMT', null],
  ])('%s', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });
});
