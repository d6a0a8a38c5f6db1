import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff } from './line-diff.ts';

const marks = { same: ' ', removed: '-', added: '+' } as const;
const drawn = (before: string, after: string): string[] =>
  lineDiff(before, after).map(({ kind, text }) => marks[kind] + text);

test('what was taken out stands before what was put in its place', () => {
  expect(drawn('a\nb\nc\n', 'a\nx\nc\n')).toEqual([' a', '-b', '+x', ' c']);
});

test('from nothing and to nothing', () => {
  expect(drawn('', 'a\n')).toEqual(['+a']);
  expect(drawn('a\n', '')).toEqual(['-a']);
  expect(drawn('', '')).toEqual([]);
});

test('lines are numbered on both sides', () => {
  expect(lineDiff('a\nb', 'b\nc')).toEqual([
    { kind: 'removed', text: 'a', before: 1, after: null },
    { kind: 'same', text: 'b', before: 2, after: 1 },
    { kind: 'added', text: 'c', before: null, after: 2 },
  ]);
});

test('whatever the texts, both are in it, and no line that is the same everywhere is taken out', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = lineDiff(before.join('\n'), after.join('\n'));
      const side = (other: string): string[] => diff.filter(({ kind }) => kind !== other).map((line) => line.text);
      expect(side('added')).toEqual(before);
      expect(side('removed')).toEqual(after);
      if (before.join() === after.join()) expect(diff.every(({ kind }) => kind === 'same')).toBe(true);
    }),
  );
});

test('texts that have nothing in common replace each other, however long', () => {
  const lines = (letter: string): string => Array.from({ length: 1_500 }, (_, i) => `${letter}${i}`).join('\n');
  const diff = lineDiff(lines('a'), lines('b'));
  expect(diff.length).toBe(3_000);
  expect(diff[0]?.kind).toBe('removed');
  expect(diff.at(-1)?.kind).toBe('added');
});
