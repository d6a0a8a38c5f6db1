import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundText } from './body-bounds.ts';

test.each([
  ['[', ']', 128],
  ['{"a":', '}', 128],
  ['[{"]":', '}]', 64],
])('%s lies in itself as often as there may be levels', (open, close, most) => {
  const nested = (times: number): string => `${open.repeat(times)}1${close.repeat(times)}`;
  expect(() => boundText(nested(most))).not.toThrow();
  expect(() => boundText(nested(most + 1))).toThrow('has more than 128 levels of objects and arrays');
});

test.each(['1', '""', '{}', '[]', '"a\\",[{"'])('%s stands in a body at most so many times', (value) => {
  const list = (length: number): string => `{"a":[${Array.from({ length }, () => value).join(', ')}]}`;
  expect(() => boundText(list(2_500))).not.toThrow();
  expect(() => boundText(list(6_001))).toThrow('has more than 6000 values');
});

test('a text may have whatever there may be few of outside of it', () => {
  const long = fc.array(fc.constantFrom('"', '\\', ',', '[', ']', '{', '}', 'é', '\u2028'), { maxLength: 200 });
  fc.assert(
    fc.property(long, (pieces) => {
      const text = JSON.stringify({ yaml: pieces.join('').repeat(300), rest: pieces });
      expect(() => boundText(text)).not.toThrow();
    }),
  );
});

test('what is no JSON is left to the parser', () => {
  for (const text of ['', '"', '"\\', ']]]', '{"a', 'nothing']) expect(() => boundText(text)).not.toThrow();
});

test('a body is not parsed before it is bounded', () => {
  // Its end is missing: the parser would say so.
  expect(() => boundText('[0,'.repeat(7_000))).toThrow('levels');
  expect(() => boundText('0,'.repeat(7_000))).toThrow('values');
});
