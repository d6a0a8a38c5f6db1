import { expect, test } from 'vitest';
import { collectionUrl } from './paths.ts';

test.each([
  ['/v1/batch', '/v1/batch'],
  ['/v1/import/', '/v1/import'],
  ['//v1/import/', '/v1/import'],
  ['//v1//t//?a=//b/', '/v1/t?a=//b/'],
  ['/v1/batch?x=/', '/v1/batch?x=/'],
  ['/beacon/v1/batch/?writeKey=k', '/beacon/v1/batch?writeKey=k'],
  ['/sourceConfig/?p=npm', '/sourceConfig?p=npm'],
  ['//analytics.js/v1/k//analytics.min.js/', '/analytics.js/v1/k/analytics.min.js'],
  // What a proxy may keep inside is answered as it is written.
  ['//metrics', '//metrics'],
  ['/api//sources/', '/api//sources/'],
  ['/health/live/', '/health/live/'],
  ['/', '/'],
  ['//', '//'],
])('%s is %s', (url, expected) => {
  expect(collectionUrl(url)).toBe(expected);
});
