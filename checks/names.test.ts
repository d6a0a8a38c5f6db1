import { expect, test } from 'vitest';
import { badNames, ownFiles } from './names.ts';
import { ROOT } from './tool.ts';

test.each([
  'packages/server/src/utils.ts',
  'packages/server/src/collect/helpers.test.ts',
  'packages/server/src/collect/string-utils.ts',
  'packages/server/src/types/event.ts',
  'packages/client/lib/index.ts',
  'test/common/receiver.ts',
  'packages/server/src/stores/sqlite/deep/log.ts',
])('refuses %s', (path) => {
  expect(badNames([path])).toHaveLength(1);
});

test.each([
  'packages/server/src/collect/library.ts',
  'packages/server/src/stores/sqlite/log.ts',
  'packages/client/src/queue.ts',
  'test/contents/deeply/nested/receiver.ts',
])('takes %s', (path) => {
  expect(badNames([path])).toEqual([]);
});

test('says a bad folder once, however many files it holds', () => {
  expect(badNames(['src/utils/a.ts', 'src/utils/b.ts'])).toHaveLength(1);
});

test('sees the files of this workspace and none that were installed', () => {
  const files = ownFiles(ROOT);
  expect(files).toContain('checks/names.ts');
  expect(files.filter((path) => path.includes('node_modules'))).toEqual([]);
});
