import { describe, expect, test } from 'vitest';
import { readStamp, type Stamp } from '../core/stamp.ts';
import { correctedTimestamp, stampOf } from './timestamp.ts';

describe('correctedTimestamp', () => {
  const received = stampOf(Date.UTC(2026, 10, 21, 12));
  const correct = (timestamp: unknown, originalTimestamp?: unknown, sentAt?: unknown): Stamp =>
    correctedTimestamp(readStamp(timestamp), readStamp(originalTimestamp), readStamp(sentAt), received);

  test.each([
    ['nothing given', [undefined], '2026-11-21T12:00:00.000Z'],
    ['only sentAt', [undefined, undefined, '2026-11-21T11:00:00.000Z'], '2026-11-21T12:00:00.000Z'],
    ['as given', ['2020-01-02T03:04:05.678Z'], '2020-01-02T03:04:05.678Z'],
    ['as given, made canonical', ['2009-11-10T23:00:00+0000'], '2009-11-10T23:00:00.000Z'],
    ['a line break before it', ['\n2015-2-02T00:30:08.276Z'], '2015-02-02T00:30:08.276Z'],
    ['a tab in it', ['2015-02-02T00:30:08.27\tZ'], '2015-02-02T00:30:08.270Z'],
    ['original alone', [null, '2009-11-10T23:00:00+0000'], '2009-11-10T23:00:00.000Z'],
    ['both, no sentAt', ['2020-01-02T03:04:05.678Z', '2021-01-01T00:00:00.000Z'], '2020-01-02T03:04:05.678Z'],
    ['unreadable', ['yesterday'], '2026-11-21T12:00:00.000Z'],
    ['a number', [1577934245678], '2020-01-02T03:04:05.678Z'],
    ['milliseconds as text', ['1577934245678'], '2020-01-02T03:04:05.678Z'],
    ['seconds', [1577934245], '2020-01-02T03:04:05.000Z'],
    ['seconds with a fraction', ['1577934245.25'], '2020-01-02T03:04:05.250Z'],
    ['seconds of 9 digits', [999999999], '2001-09-09T01:46:39.000Z'],
    ['8 digits', ['20200102'], '2026-11-21T12:00:00.000Z'],
    ['the clock an hour slow', ['2026-11-21T10:59:50Z', undefined, '2026-11-21T11:00:00Z'], '2026-11-21T11:59:50.000Z'],
    ['the clock an hour fast', ['2026-11-21T12:59:50Z', undefined, '2026-11-21T13:00:00Z'], '2026-11-21T11:59:50.000Z'],
    ['sentAt unreadable', ['2020-01-02T03:04:05.678Z', undefined, 'soon'], '2020-01-02T03:04:05.678Z'],
    ['unreadable, with sentAt', ['yesterday', undefined, '2026-11-21T11:00:00Z'], '2026-11-21T12:00:00.000Z'],
    [
      'timestamp counts, not originalTimestamp',
      ['2020-01-01T00:00:00Z', '2026-11-21T10:59:00Z', '2026-11-21T11:00:00Z'],
      '2020-01-01T01:00:00.000Z',
    ],
    ['5 s are the way', ['2015-01-01T00:00:00.001Z', undefined, '2026-11-21T11:59:55Z'], '2015-01-01T00:00:00.001Z'],
    ['more is a clock', ['2015-01-01T00:00:00Z', undefined, '2026-11-21T11:59:54.999Z'], '2015-01-01T00:00:05.001Z'],
    ['a day is a clock', ['2026-11-20T11:00:00Z', undefined, '2026-11-20T12:00:00Z'], '2026-11-21T11:00:00.000Z'],
    ['more moves nothing', ['2015-01-01T00:00:00Z', undefined, '2026-11-20T11:59:59.999Z'], '2015-01-01T00:00:00.000Z'],
    ['the future neither', ['2015-01-01T00:00:00Z', undefined, '2031-01-01T00:00:00Z'], '2015-01-01T00:00:00.000Z'],
    ['out of the years', ['0000-01-01T00:00:00Z', undefined, '2026-11-21T13:00:00Z'], '2026-11-21T12:00:00.000Z'],
  ] as const)('%s', (_name, given, expected) => {
    expect(correct(given[0], given[1], given[2])).toEqual({ text: expected, instant: Date.parse(expected) });
  });
});

test('readStamp keeps what was given as text', () => {
  expect(readStamp('yesterday')?.text).toBe('yesterday');
  expect(readStamp(12)?.text).toBe('12');
  expect(readStamp({ a: 1 })?.text).toBe('{"a":1}');
  expect([readStamp(undefined), readStamp(null), readStamp('')]).toEqual([null, null, null]);
});
