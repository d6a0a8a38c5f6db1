import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromText, toText } from './text.ts';

/** Every unit a string can hold, the awkward ones often. */
const anyText = fc
  .array(fc.oneof(fc.constantFrom('\\', '\0', '\ud800', '\udc00', '5', 'c', '€'), fc.string({ unit: 'binary' })))
  .map((units) => units.join(''));

test('what is written is read back as it was, and fits', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const written = toText(text);
      expect(fromText(written)).toBe(text);
      expect(written.isWellFormed() && !written.includes('\0')).toBe(true);
    }),
  );
});

test('beginnings stay beginnings, of whole characters', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('\\', '\0', '5', '€', '😀')), fc.nat(9), (units, count) => {
      const beginning = toText(units.slice(0, count).join(''));
      expect(toText(units.join('')).startsWith(beginning)).toBe(true);
    }),
  );
});
