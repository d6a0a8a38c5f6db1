import { expect, test } from 'vitest';
import { basicUserName } from './write-key.ts';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

test.each([
  [basic('wk:'), 'wk'],
  [basic('wk'), 'wk'],
  [basic('wk:secret:more'), 'wk'],
  [basic('wk:').replace('Basic', 'basic'), 'wk'],
  [basic('wk:').replace(' ', '   '), 'wk'],
  [basic(' wk :'), 'wk'],
  [basic(':'), null],
  ['Basic', null],
  ['Basic ', null],
  ['Bearer abc', null],
  ['', null],
  [undefined, null],
])('%s → %s', (header, key) => {
  expect(basicUserName(header)).toBe(key);
});
