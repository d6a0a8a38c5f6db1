import { expect, test } from 'vitest';
import type { Source } from '../core/source.ts';
import { basicUserName, findSourceIn } from './write-key.ts';

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

test('a write key that is not known is unknown only where what others have changed was heard', async () => {
  const known = new Map([['wk', { id: 'src_1' } as Source]]);
  const settings = { sourceByWriteKey: (key: string) => known.get(key) };
  let hasHeard = true;
  const find = findSourceIn(settings, async () => {
    if (hasHeard) known.set('new', { id: 'src_2' } as Source);
    return hasHeard;
  });
  expect(find('wk')).toEqual({ id: 'src_1' });
  expect(await find('new')).toEqual({ id: 'src_2' });
  expect(await find('none')).toBeUndefined();
  hasHeard = false;
  expect(find('wk')).toEqual({ id: 'src_1' });
  await expect(find('none')).rejects.toMatchObject({ code: 'storage_unavailable', retryAfter: 5 });
});
