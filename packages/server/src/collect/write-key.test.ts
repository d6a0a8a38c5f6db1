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
  const find = findSourceIn(settings, {
    isCurrent: () => true,
    async caughtUp() {
      if (hasHeard) known.set('new', { id: 'src_2' } as Source);
      return hasHeard;
    },
  });
  expect(find('wk')).toEqual({ id: 'src_1' });
  expect(await find('new')).toEqual({ id: 'src_2' });
  expect(await find('none')).toBeUndefined();
  hasHeard = false;
  expect(find('wk')).toEqual({ id: 'src_1' });
  await expect(find('none')).rejects.toMatchObject({ code: 'storage_unavailable', retryAfter: 5 });
});

test('a process that stood still knows a source again when it has heard what others have changed', async () => {
  const known = new Map([['wk', { id: 'src_1', enabled: true } as Source]]);
  const settings = { sourceByWriteKey: (key: string) => known.get(key) };
  let isCurrent = false;
  let canHear = false;
  const find = findSourceIn(settings, {
    isCurrent: () => isCurrent,
    async caughtUp() {
      if (canHear) known.set('wk', { id: 'src_1', enabled: false } as Source);
      isCurrent ||= canHear;
      return canHear;
    },
  });
  await expect(find('wk')).rejects.toMatchObject({ code: 'storage_unavailable', retryAfter: 5 });
  canHear = true;
  expect(await find('wk')).toMatchObject({ enabled: false });
  canHear = false;
  expect(find('wk')).toMatchObject({ enabled: false });
});
