import { expect, test } from 'vitest';
import { MOST_GROUPS } from '../core/rejection.ts';
import { Rejections } from './rejections.ts';

test('keeps the last 100 of each source, newest first, and counts all', () => {
  const rejections = new Rejections();
  for (let at = 1; at <= 150; at += 1)
    rejections.add('a', at, at % 2 ? 'invalid_json' : 'event_required', 'no', `part ${at}`);
  rejections.add('b', 7, 'too_large', 'large', 'x');
  const last = rejections.recent('a');
  expect(last.map(({ at }) => at)).toEqual(Array.from({ length: 100 }, (_, i) => 150 - i));
  expect(last[0]).toMatchObject({ at: 150, code: 'event_required', message: 'no', part: 'part 150' });
  expect([rejections.count('a'), rejections.count('b')]).toEqual([150, 1]);
  expect(rejections.recent('b')).toHaveLength(1);
});

test('adds up what is alike until it is taken, and no more groups than are kept', () => {
  const rejections = new Rejections();
  for (const at of [1, 2, 3]) rejections.add('a', at, 'event_required', 'no', `part ${at}`);
  const nobody = { key: null, address: null, userAgent: null };
  const group = { ...nobody, sourceId: 'a', code: 'event_required', message: 'no' };
  expect(rejections.take()).toEqual([{ ...group, example: 'part 3', count: 3, firstAt: 1, lastAt: 3 }]);
  expect(rejections.take()).toEqual([]);
  for (let at = 1; at <= 2 * MOST_GROUPS; at++) {
    const refused = {
      at,
      code: 'unknown_write_key',
      message: 'no',
      writeKey: `secret-key-${at}`.padEnd(30, 'x'),
    } as const;
    rejections.unknownKey({ ...refused, address: `192.0.2.${at}`, userAgent: 'x'.repeat(5_000) });
  }
  const unknown = rejections.take();
  expect(unknown).toHaveLength(MOST_GROUPS);
  expect(unknown.at(-1)).toMatchObject({
    key: '••••xxxx',
    address: `192.0.2.${2 * MOST_GROUPS}`,
    userAgent: 'x'.repeat(200),
  });
});

test('keeps the beginning of a long message, which may quote a header', () => {
  const rejections = new Rejections();
  rejections.add('a', 1, 'unsupported_encoding', 'x'.repeat(10_000), 'part');
  expect(rejections.recent('a')[0]?.message).toBe('x'.repeat(300));
  expect(rejections.take()[0]?.message).toBe('x'.repeat(300));
});

test.each([
  '{"userId":"ada@b.c"}',
  '{"userId":"ada@b',
  'userId=ada%40b.c&event=x',
  "{'userId':'ada@b.c'}",
  JSON.stringify('{"userId":"ada@b.c"}'),
])('forgets whom it is told to, in what is shown and in what is not written yet: %s', (part) => {
  const rejections = new Rejections();
  rejections.add('a', 1, 'event_required', 'no', part);
  rejections.erase(new Set(['other', 'ada']));
  expect(rejections.recent('a')[0]?.part).toBe(part);
  rejections.erase(new Set(['ada@b.c']));
  expect(rejections.recent('a')[0]?.part).toBe('');
  expect(rejections.after(0)[0]?.part).toBe('');
  expect(rejections.take()[0]?.example).toBe('');
});

test('cuts the part to 1 KiB without breaking a character', () => {
  const rejections = new Rejections();
  rejections.add('a', 1, 'invalid_json', 'no', `x${'é'.repeat(5000)}`);
  const part = rejections.recent('a')[0]?.part ?? '';
  expect(Buffer.byteLength(part)).toBe(1023);
  expect(part).toBe(`x${'é'.repeat(511)}`);
});

test('knows nothing of a source that was never refused, or was forgotten', () => {
  const rejections = new Rejections();
  rejections.add('a', 1, 'invalid_json', 'no', '');
  rejections.retain((sourceId) => sourceId !== 'a');
  expect([rejections.count('a'), rejections.recent('a')]).toEqual([0, []]);
});

test('what another node refused is shown as it was there, and counted there', () => {
  const [there, here] = [new Rejections(), new Rejections()];
  there.add('a', 1, 'invalid_json', 'no', '{');
  here.add('a', 2, 'invalid_json', 'no', '[');
  for (const { number, isOwn, ...refusal } of there.after(0)) here.told(refusal);
  expect(here.after(1)).toEqual([{ ...there.after(0)[0], number: 2, isOwn: false }]);
  expect(here.recent('a').map(({ part }) => part)).toEqual(['{', '[']);
  expect(here.count('a')).toBe(1);
  expect(here.take()).toMatchObject([{ count: 1, example: '[' }]);
  expect(new Set(here.after(0).map(({ id }) => id)).size).toBe(2);
});

test('while it does not hear which users are deleted, it keeps, tells and writes no part', () => {
  let hears = true;
  const rejections = new Rejections(() => hears);
  const refuse = (at: number): void => rejections.add('a', at, 'event_required', 'no', '{"userId":"u"}');
  refuse(1);
  expect(rejections.after(0).map(({ part }) => part)).toEqual(['{"userId":"u"}']);
  hears = false;
  expect(rejections.after(0).map(({ part }) => part)).toEqual(['']);
  refuse(2);
  expect(rejections.recent('a').map(({ part }) => part)).toEqual(['', '']);
  refuse(3);
  expect(rejections.take()).toMatchObject([{ count: 3, example: '' }]);
  hears = true;
  refuse(4);
  expect(rejections.take()).toMatchObject([{ count: 1, example: '{"userId":"u"}' }]);
});

test('what is put back comes before what was counted since, without what was erased since', () => {
  let hears = true;
  const rejections = new Rejections(() => hears);
  const refuse = (at: number, part: string): void => rejections.add('a', at, 'event_required', 'no', part);
  refuse(1, 'gone');
  rejections.take();
  expect(rejections.erased()).toEqual([]);
  rejections.erase(new Set(['gone']));
  refuse(2, 'new');
  expect(rejections.erased()).toMatchObject([{ count: 1, example: '' }]);
  rejections.putBack();
  expect(rejections.take()).toMatchObject([{ count: 2, example: 'new', firstAt: 1, lastAt: 2 }]);
  hears = false;
  expect(rejections.erased()).toMatchObject([{ count: 2, example: '' }]);
  rejections.putBack();
  hears = true;
  expect(rejections.take()).toMatchObject([{ count: 2, example: '' }]);
});
