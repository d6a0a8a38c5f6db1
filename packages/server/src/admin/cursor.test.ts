import { expect, test } from 'vitest';
import { openCursor, pageOfAll, pageOfMany, sealCursor } from './cursor.ts';

test('pages cover everything once, in order, whatever is added or removed before them', () => {
  const all = Array.from({ length: 7 }, (_, i) => `k${i}`).reverse();
  const first = pageOfAll(all, String, { limit: 3 }, String);
  expect(first.items).toEqual(['k0', 'k1', 'k2']);
  const rest = all.filter((key) => key !== 'k2').concat('a0');
  const second = pageOfAll(rest, String, { limit: 3, cursor: first.next ?? '' }, String);
  expect(second.items).toEqual(['k3', 'k4', 'k5']);
  expect(pageOfAll(rest, String, { limit: 3, cursor: second.next ?? '' }, String)).toEqual({
    items: ['k6'],
    next: null,
  });
});

test('a page of a long list does not sort the whole list', () => {
  const length = 20_000;
  // 7,919 and the length have no common divisor: each place comes once.
  const places = Array.from({ length }, (_, n) => (n * 7_919) % length);
  let compared = 0;
  const keyOf = (place: number): string => {
    const toText = (): string => {
      compared += 1;
      return String(place).padStart(5, '0');
    };
    return { [Symbol.toPrimitive]: toText } as unknown as string;
  };
  expect(pageOfAll(places, keyOf, { limit: 3 }, String).items).toEqual(['0', '1', '2']);
  expect(compared).toBeLessThan(3 * length);
});

test('a page of very many items is the same, and all else gets its turn meanwhile', async () => {
  const all = Array.from({ length: 20_000 }, (_, n) => String((n * 7_919) % 20_000));
  for (const query of [{}, { limit: 500, cursor: sealCursor('1999') }, { cursor: sealCursor('9999') }]) {
    let turns = 0;
    setImmediate(() => {
      turns += 1;
    });
    const page = await pageOfMany(all, () => true, String, query, String);
    expect(turns).toBe(1);
    expect(page).toEqual(pageOfAll(all, String, query, String));
  }
});

test('a page that ends where the list ends is the last', () => {
  expect(pageOfAll(['a', 'b'], String, { limit: 2 }, String).next).toBeNull();
  expect(pageOfAll([], String, {}, String)).toEqual({ items: [], next: null });
});

test.each(['', 'nonsense', 'YQ', `${sealCursor('a')}=`, ` ${sealCursor('a')}`])(
  'a cursor not made here is refused: %j',
  (cursor) => {
    expect(() => openCursor(cursor)).toThrow('cursor');
  },
);

test('a cursor opens to what was sealed, and can stand in a URL', () => {
  const sealed = sealCursor('2026-11-20 é/+?');
  expect(openCursor(sealed)).toBe('2026-11-20 é/+?');
  expect(sealed).toMatch(/^[A-Za-z0-9_-]+$/);
});
