import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isoText, readInstant } from './instant.ts';

describe('readInstant', () => {
  test.each([
    ['2012-12-02T00:30:08.276Z', '2012-12-02T00:30:08.276Z'],
    ['2009-11-10T23:00:00+0000', '2009-11-10T23:00:00.000Z'],
    ['2009-11-10T23:00:00-0530', '2009-11-11T04:30:00.000Z'],
    ['2009-11-10T23:00:00+05:30', '2009-11-10T17:30:00.000Z'],
    ['2009-11-10T23:00:00+01', '2009-11-10T22:00:00.000Z'],
    ['2015-2-02T00:30:08.276Z', '2015-02-02T00:30:08.276Z'],
    ['2015-2-2T0:30:08.276Z', '2015-02-02T00:30:08.276Z'],
    ['2015-02-02T00:30:08Z', '2015-02-02T00:30:08.000Z'],
    ['2015-02-02T00:30Z', '2015-02-02T00:30:00.000Z'],
    ['2015-02-02 00:30:08', '2015-02-02T00:30:08.000Z'],
    ['2015-02-02', '2015-02-02T00:00:00.000Z'],
    ['2015-02', '2015-02-01T00:00:00.000Z'],
    ['2015-02-02T00:30:08.2Z', '2015-02-02T00:30:08.200Z'],
    ['2015-02-02T00:30:08.123456789Z', '2015-02-02T00:30:08.123Z'],
    ['2016-02-29T23:59:59.999Z', '2016-02-29T23:59:59.999Z'],
    ['0000-01-01T00:00:00.000Z', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    [1795219339546, '2026-11-21T00:02:19.546Z'],
    [0.9, '1970-01-01T00:00:00.000Z'],
  ])('reads %s', (given, iso) => {
    expect(isoText(readInstant(given))).toBe(iso);
  });

  test.each([
    ['yesterday'],
    ['2015-02-29T00:00:00.000Z'],
    ['2015-02-31'],
    ['2015-13-01T00:00:00.000Z'],
    ['2015-00-10'],
    ['2015-01-01T24:00:00Z'],
    ['2015-01-01T00:60:00Z'],
    ['2015-01-01T00:00:60Z'],
    ['2015-01-01T00:00:00+24:00'],
    ['2015-01-01T00:00:00.000z '.repeat(9)],
    ['2015/01-01T00:00:00.000Z'],
    ['2015-01-01X00:00:00.000Z'],
    ['2O15-01-01T00:00:00.000Z'],
    ['0000-01-01T00:00:00+01:00'],
    ['1795219339546'],
    [''],
    [Number.POSITIVE_INFINITY],
    [1e17],
    [true],
    [null],
    [{}],
  ])('does not read %s', (given) => {
    expect(readInstant(given)).toBeNaN();
  });

  test('agrees with Date on every instant, in the canonical form and with an offset', () => {
    const instants = fc.date({
      min: new Date('0000-01-02T00:00:00.000Z'),
      max: new Date('9999-12-30T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (date, offset) => {
        expect(isoText(date.getTime())).toBe(date.toISOString());
        expect(readInstant(date.toISOString())).toBe(date.getTime());
        const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0');
        const minutes = String(Math.abs(offset) % 60).padStart(2, '0');
        expect(readInstant(`${local}${offset < 0 ? '-' : '+'}${hours}${minutes}`)).toBe(date.getTime());
      }),
    );
  });

  test('never throws and never reads out of its years', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const instant = readInstant(value);
        if (!Number.isNaN(instant)) expect(isoText(instant)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      }),
    );
  });
});
