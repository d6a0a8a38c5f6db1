import { expect, test } from 'vitest';
import { COLLECTION_PATHS } from '../../../server/src/core/collection-path.ts';
import { doubtAbout } from './webhook-draft.ts';

test.each([...COLLECTION_PATHS.keys(), '/v1/batch/'])('a URL with the path %s is doubted', (path) => {
  expect(doubtAbout(` https://hooks.example.com${path}`)).toContain('a collection API');
});

test.each([
  '',
  'https',
  'https://hooks.example.com',
  'https://hooks.example.com/v1/hook',
  'https://a.example/x/v1/batch',
])('nothing is said of %s', (url) => {
  expect(doubtAbout(url)).toBeNull();
});
