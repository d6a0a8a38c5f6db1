import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyTrouble, MAX_KEY_LENGTH, traitKey } from './key.ts';

test.each([
  ['order completed last 30 days', 'order_completed_last_30days'],
  ['Big Spenders', 'big_spenders'],
  ['big_spenders', 'big_spenders'],
  ['  VIP -- customers!  ', 'vip_customers'],
  ['1 day', '1day'],
  ['Last 24 Hours', 'last_24hours'],
  ['12 months, 3 Weeks', '12months_3weeks'],
  ['last 30-days', 'last_30days'],
  ['30 days days', '30days_days'],
  ['bought 3 times', 'bought_3_times'],
  ['top 10 2 years', 'top_10_2years'],
  ['v2 days', 'v2_days'],
  ["women's shoes", 'womens_shoes'],
  ['women’s shoes', 'womens_shoes'],
  ["'quoted'", 'quoted'],
  ['Größe XL', 'große_xl'],
  ['Crème brûlée', 'creme_brulee'],
  ['İstanbul', 'istanbul'],
  ['ﬁne ＡＢＣ ²', 'fine_abc_2'],
  ['Покупатели чай', 'покупатели_чай'],
  ['고객 목록', '고객_목록'],
  ['हिन्दी ग्राहक', 'हिन्दी_ग्राहक'],
  ['顧客 30 日', '顧客_30_日'],
  ['a.b/c\\d', 'a_b_c_d'],
  ['__proto__', 'proto'],
  ['🎉 party 🎉', 'party'],
])('%s is %s', (name, key) => {
  expect(traitKey(name)).toBe(key);
  expect(keyTrouble(key)).toBeNull();
});

test.each(['', ' ', '🎉', '---', '\u0301', '\ud800'])('%j has no key', (name) => {
  expect(traitKey(name)).toBeNull();
  expect(keyTrouble(name)).toMatch(/^must be lower-case words .* 100 characters$/);
});

test('a long name ends after the last word that fits, and a long word between two characters', () => {
  expect(traitKey(`${'a'.repeat(98)} b c`)).toBe(`${'a'.repeat(98)}_b`);
  expect(traitKey(`${'a'.repeat(95)} 30 days`)).toBe('a'.repeat(95));
  expect(traitKey('a'.repeat(101))).toBe('a'.repeat(100));
  expect(traitKey(`a${'𐐨'.repeat(60)}`)).toBe(`a${'𐐨'.repeat(49)}`);
});

test('a key that is none comes back with the one that was meant', () => {
  expect(keyTrouble('Big Spenders')).toContain('for example "big_spenders"');
});

test('every key is its own key: lower-case letters, digits and single underscores', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 120 }),
    fc
      .array(fc.constantFrom('30', '7', 'days', 'Hour', '_', ' ', "'", 'é', 'Ä', '́', 'ſ', 'Σ', 'x'.repeat(60)), {
        maxLength: 12,
      })
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(name, (given) => {
      const key = traitKey(given);
      if (key === null) return;
      expect(traitKey(key)).toBe(key);
      expect(key.length).toBeLessThanOrEqual(MAX_KEY_LENGTH);
      expect(key).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(_[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*$/u);
      expect(key).toBe(key.toLowerCase());
      expect(key.isWellFormed()).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
