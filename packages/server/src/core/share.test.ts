import { expect, test } from 'vitest';
import { share } from './share.ts';

test.each([
  [0, 0, '–'],
  [5, 5, '100%'],
  [0, 5, '0%'],
  [986, 1000, '98.6%'],
  [29, 100, '29.0%'],
  [6949, 10_000, '69.4%'],
  [99_999, 100_000, '99.99%'],
  [999_999, 1_000_000, '99.99%'],
  [1, 1_000_000, '0.1%'],
  [1, 3, '33.3%'],
])('%s of %s is %s', (part, whole, text) => {
  expect(share(part, whole)).toBe(text);
});
