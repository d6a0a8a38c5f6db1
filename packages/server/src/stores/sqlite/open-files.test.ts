import { expect, test } from 'vitest';
import { tooFewFiles } from './open-files.ts';

const limits = (most: number | string): string =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${most}                 ${most}                 files\n`;

test('a long retention under a small limit of open files is told, with what to do', () => {
  expect(tooFewFiles(200, limits(1_024))).toMatch(/200 files of events.*need 1900 open files.*may open 1024: raise/);
});

test('nothing is told where the limit is enough, or unknown', () => {
  expect(tooFewFiles(200, limits(1_900))).toBe(null);
  expect(tooFewFiles(8, limits(1_024))).toBe(null);
  expect(tooFewFiles(200, limits('unlimited'))).toBe(null);
  expect(tooFewFiles(200, null)).toBe(null);
});
