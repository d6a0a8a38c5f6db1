import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listOf, tableIn, type UserIds, userIdsOf } from './user-ids.ts';

const list = (text: string): UserIds => userIdsOf(text, null);

/** The column that is likely to hold the ids. */
function column(text: string): UserIds {
  const table = tableIn(text);
  if (table?.likely == null) throw new Error('no column is likely');
  return userIdsOf(text, { table, column: table.likely });
}

test('one id on each line, each once; spaces around it and empty lines are left out', () => {
  expect(list('u1\r\n  u 2 \n\nu1\n')).toEqual({
    ids: ['u1', 'u 2'],
    lines: [1, 2],
    duplicates: 1,
    flaws: [],
    heading: null,
  });
});

test('the name of the column is no user, unless it is written in quotes', () => {
  expect(list('user_id\nu1')).toMatchObject({ ids: ['u1'], heading: 'user_id' });
  expect(list('"user_id"\nu1')).toMatchObject({ ids: ['user_id', 'u1'], heading: null });
});

test('a table is told by its rows, and its column by the name', () => {
  expect(tableIn('a,b\nc')).toBe(null);
  expect(tableIn('a\nb')).toBe(null);
  expect(tableIn('ann;1\nbob;2')).toMatchObject({ columns: ['Column 1: ann', 'Column 2: 1'], likely: null });
  expect(column('email,User ID,since\nann@example.com,u1,2026\n"bob, at home",u2,2025')).toMatchObject({
    ids: ['u1', 'u2'],
    lines: [2, 3],
  });
});

test('what an export of members guards from a spreadsheet is the id it was', () => {
  expect(column(`userId,joinedAt\n'+49170,1\n''=a,2\n'tis,3\n" b",4`).ids).toEqual(['+49170', "'=a", "'tis", ' b']);
  expect(column("userId,since\n'+49170,1").ids).toEqual(["'+49170"]);
  expect(list("'+49170").ids).toEqual(["'+49170"]);
});

test('what is wrong is told with its line', () => {
  const long = 'é'.repeat(30_000);
  expect(list(`u1\n${long}\n"a" b\n""\n"open\nu2`).flaws).toEqual([
    { line: 3, message: 'Something follows the closing quote' },
    { line: 4, message: 'There is no user id' },
    { line: 5, message: 'The quote that begins here does not end' },
  ]);
});

test('a line after a value of several lines has its own number', () => {
  expect(list('"two\nlines"\nu2')).toMatchObject({ ids: ['two\nlines', 'u2'], lines: [1, 3] });
});

test('ids are written as a list that is read back as they are', () => {
  const id = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
  const odd = fc.array(fc.constantFrom('"', ' ', '\n', '\r', ',', ';', '\t', 'a'), { minLength: 1 });
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.oneof(
          id,
          odd.map((parts) => parts.join('')),
        ),
        { minLength: 1 },
      ),
      (ids) => {
        expect(tableIn(listOf(ids))).toBe(null);
        expect(list(listOf(ids))).toMatchObject({ ids, flaws: [] });
      },
    ),
  );
});
