import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prettyJson, tokens } from './json.ts';

test('lines differ from the original in white space alone, and say the same', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(prettyJson(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
    }),
  );
});

test('numbers keep their digits', () => {
  expect(prettyJson('{"id":12345678901234567890,"n":1.0}')).toBe('{\n  "id": 12345678901234567890,\n  "n": 1.0\n}');
});

test('empty lists and objects stay on their line', () => {
  expect(prettyJson('{"a":[],"b":{}}')).toBe('{\n  "a": [],\n  "b": {}\n}');
});

test('what is no JSON stays as it is', () => {
  expect(prettyJson('<html>{"a":1')).toBe('<html>{"a":1');
});

test('the pieces of any text are the text again', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(
        tokens(text)
          .map((token) => token.text)
          .join(''),
      ).toBe(text);
    }),
  );
});

test('names, texts, numbers and literals are told apart', () => {
  const kinds = tokens('{"a": "b", "n": -1.5e3, "t": [true, null]}').filter(({ kind }) => kind !== 'other');
  expect(kinds.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'name "a"',
    'string "b"',
    'name "n"',
    'number -1.5e3',
    'name "t"',
    'literal true',
    'literal null',
  ]);
});
