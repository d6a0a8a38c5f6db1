import { expect, test } from 'vitest';
import DOC from '../../../../docs/delivery.md?raw';
import { ERRORS, errorInWords, REASONS, reasonInWords } from './reasons.ts';

/** First words of the table's rows that lie under the heading and have such a second cell. */
function codes(second: RegExp): string[] {
  const rows = [...DOC.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)];
  return rows.flatMap(([, code = '', cell = '']) => (second.test(cell) ? [code] : []));
}

test('there are words for each reason and each error that the docs name, and for no other', () => {
  expect(Object.keys(REASONS).sort()).toEqual(codes(/^(failed|filtered)$/).sort());
  expect(Object.keys(ERRORS).sort()).toEqual(codes(/^(temporary|permanent)$/).sort());
});

test('what is not known keeps its code', () => {
  expect([reasonInWords('moon'), reasonInWords(null), errorInWords('moon'), errorInWords(null)]).toEqual([
    'moon',
    null,
    'moon',
    null,
  ]);
});
