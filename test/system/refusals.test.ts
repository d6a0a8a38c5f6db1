import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Page, Rejection, SourceTotals } from '../../packages/server/src/admin/contract.ts';
import { receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const service = sharedService();

/** Each refusal of a call (contract 8.4), with a call that earns it. */
const CALLS: readonly (readonly [code: string, type: string, call: unknown])[] = [
  ['no_user_or_anonymous_id', 'track', { event: 'E' }],
  ['no_user_or_anonymous_id', 'identify', { traits: {} }],
  ['no_user_or_anonymous_id', 'page', {}],
  ['no_user_or_anonymous_id', 'screen', { userId: '', anonymousId: '' }],
  ['no_user_or_anonymous_id', 'group', { groupId: 'g', userId: null }],
  ['event_required', 'track', { userId: 'u' }],
  ['event_required', 'track', { userId: 'u', event: '' }],
  ['event_required', 'track', { userId: 'u', event: '  ' }],
  ['event_required', 'track', { userId: 'u', event: null }],
  ['group_id_required', 'group', { userId: 'u' }],
  ['previous_id_required', 'alias', { userId: 'u' }],
  ['user_id_required', 'alias', { previousId: 'p' }],
  ['properties_not_object', 'track', { userId: 'u', event: 'E', properties: 'x' }],
  ['properties_not_object', 'page', { userId: 'u', properties: [] }],
  ['properties_not_object', 'screen', { userId: 'u', properties: 7 }],
  ['traits_not_object', 'identify', { userId: 'u', traits: 'x' }],
  ['traits_not_object', 'group', { userId: 'u', groupId: 'g', traits: [1] }],
  ['message_id_too_long', 'track', { userId: 'u', event: 'E', messageId: 'x'.repeat(101) }],
];

describe('contract 8.4: a bad call', () => {
  test.each(CALLS)('alone: 400 %s (%s)', async (code, type, call) => {
    const source = await service.source();
    const { status, text } = await service.send(source, type, call);
    expect(JSON.parse(text)).toEqual({ success: false, code, message: expect.stringMatching(/\w+ \w+/) });
    expect(status).toBe(400);
  });

  test('says which of its fields is nearly the one that it lacks, alone, in a batch, and in the list of refusals', async () => {
    const source = await service.source();
    const call = { type: 'track', user_id: 'u', event: 'E' };
    const hint = 'did you mean "userId"?';
    expect(JSON.parse((await service.send(source, 'track', call)).text)).toMatchObject({
      code: 'no_user_or_anonymous_id',
      message: expect.stringContaining(hint),
    });
    const { text } = await service.send(source, 'batch', { batch: [call, { ...call, userId: 'u' }] });
    expect(JSON.parse(text)).toEqual({
      success: true,
      rejected: [expect.objectContaining({ index: 0, message: expect.stringContaining(hint) })],
    });
    const { items } = await service.must<Page<Rejection>>('GET', `/api/sources/${source.id}/rejections`);
    for (const { message } of items) expect(message).toContain(hint);
  });

  test('inside a good batch: only that call is refused, with its index, and every refusal is counted and can be seen', async () => {
    const receiver = await receive();
    const source = await service.source();
    const destination = await service.destination(source, receiver.url());
    const good = { type: 'track', userId: 'u', event: 'Good' };
    const bad = [
      ...CALLS.map(([code, type, call]) => [code, { type, ...(call as object) }] as const),
      ['invalid_type', { type: 'delete', userId: 'u' }],
      ['invalid_type', { type: 'nonsense', userId: 'u' }],
      ['invalid_type', { userId: 'u' }],
      ['call_not_object', 7],
      ['call_not_object', null],
      ['call_not_object', []],
      ['call_too_large', { ...good, properties: { x: 'x'.repeat(33_000) } }],
    ] as const;
    const batch = bad.flatMap(([, call]) => [good, call]);
    const { status, text } = await service.send(source, 'batch', { batch });
    expect(status).toBe(200);
    const answer = JSON.parse(text) as {
      success: boolean;
      rejected: { index: number; code: string; message: string }[];
    };
    expect(answer.success).toBe(true);
    expect(answer.rejected.map(({ index, code }) => [index, code])).toEqual(bad.map(([code], i) => [i * 2 + 1, code]));
    for (const { message } of answer.rejected) expect(message).toMatch(/\w+ \w+/);
    expect(await service.settled(destination, bad.length)).toMatchObject({ processed: bad.length });
    expect(receiver.arrivals.every(({ message }) => message['event'] === 'Good')).toBe(true);
    expect(await service.must<SourceTotals>('GET', `/api/sources/${source.id}/totals`)).toEqual({
      accepted: bad.length,
      notJoined: 0,
      duplicates: 0,
      rejected: bad.length,
    });
    const { items } = await service.must<Page<Rejection>>('GET', `/api/sources/${source.id}/rejections`);
    expect(items.length).toBeGreaterThan(0);
    expect(items[0]).toMatchObject({ code: 'call_too_large', at: expect.any(String), message: expect.any(String) });
    const codes = new Set(bad.map(([code]) => code as string));
    for (const { code } of items) expect(codes).toContain(code);
  });

  test('a batch of bad calls alone accepts none', async () => {
    const source = await service.source();
    const { status, text } = await service.send(source, 'batch', { batch: [{ type: 'track' }] });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ success: true, rejected: [{ index: 0 }] });
  });
});

describe('contract 8.4: a request that is refused whole', () => {
  test.each([
    ['an empty body', 'track', '', 400, 'invalid_json'],
    ['no JSON', 'track', '{"a":', 400, 'invalid_json'],
    ['JSON and more', 'track', '{} {}', 400, 'invalid_json'],
    ['no JSON in a batch', 'batch', 'batch', 400, 'invalid_json'],
    ['an empty batch', 'batch', { batch: [] }, 400, 'empty_batch'],
    ['no batch', 'batch', {}, 400, 'empty_batch'],
    ['a batch that is no list', 'batch', { batch: {} }, 400, 'empty_batch'],
    ['invalid UTF-8', 'track', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 400, 'invalid_json'],
    ['a list', 'track', [], 400, 'call_not_object'],
    ['a text', 'track', '"track"', 400, 'call_not_object'],
  ] as const)('%s', async (_, path, body, status, code) => {
    const source = await service.source();
    const answer = await service.send(source, path, body);
    expect(JSON.parse(answer.text)).toMatchObject({ success: false, code });
    expect(answer.status).toBe(status);
  });

  test('a path that is not there', async () => {
    const source = await service.source();
    expect(await service.send(source, 'nonsense', {})).toMatchObject({ status: 404 });
    expect(await service.send(source, 'delete', { userId: 'u' })).toMatchObject({ status: 404 });
  });

  test('a method that is not there', async () => {
    const source = await service.source();
    const answer = await service.send(source, 'track', '', { method: 'PUT' });
    expect(answer.status).toBe(405);
  });
});

describe('contract 8.5', () => {
  /** A call of exactly this many bytes. */
  const call = (bytes: number, more: object = {}): string => {
    const empty = JSON.stringify({ ...more, userId: 'u', event: 'E', properties: { x: '' } });
    return empty.replace('"x":""', `"x":"${'x'.repeat(bytes - Buffer.byteLength(empty))}"`);
  };
  const typed = { type: 'track' };

  test('one call: 32,768 bytes are accepted, 32,769 are 413 call_too_large', async () => {
    const receiver = await receive();
    const source = await service.source();
    await service.destination(source, receiver.url());
    expect(await service.send(source, 'track', call(32_768))).toMatchObject({ status: 200 });
    expect(
      await service.send(source, 'track', gzipSync(call(32_768)), { headers: { 'Content-Encoding': 'gzip' } }),
    ).toMatchObject({ status: 200 });
    for (const body of [call(32_769), call(200_000)]) {
      const large = await service.send(source, 'track', body);
      expect(large.status).toBe(413);
      expect(JSON.parse(large.text)).toMatchObject({ success: false, code: 'call_too_large' });
    }
    const zipped = await service.send(source, 'track', gzipSync(call(32_769)), {
      headers: { 'Content-Encoding': 'gzip' },
    });
    expect(JSON.parse(zipped.text)).toMatchObject({ code: 'call_too_large' });
    await receiver.waitFor(2);
  });

  test('one call in a batch: the same', async () => {
    const source = await service.source();
    const batch = `{"batch":[${call(32_768, typed)},${call(32_769, typed)}]}`;
    const { status, text } = await service.send(source, 'batch', batch);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ rejected: [{ index: 1, code: 'call_too_large' }] });
  });

  test('bytes count, not characters', async () => {
    const source = await service.source();
    const wide = { userId: 'u', event: 'E', properties: { x: 'é'.repeat(20_000) } };
    expect(await service.send(source, 'track', wide)).toMatchObject({ status: 413 });
  });

  test('one batch: 512,000 bytes are accepted, 512,001 are 413 too_large', async () => {
    const source = await service.source();
    const batch = (bytes: number): string => {
      const calls = Array.from({ length: 16 }, () => call(30_000, typed)).join(',');
      const start = `{"batch":[${calls}],"x":"`;
      return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
    };
    expect(Buffer.byteLength(batch(512_000))).toBe(512_000);
    expect(await service.send(source, 'batch', batch(512_000))).toMatchObject({
      status: 200,
      text: '{"success":true}',
    });
    const large = await service.send(source, 'batch', batch(512_001));
    expect(large.status).toBe(413);
    expect(JSON.parse(large.text)).toMatchObject({ success: false, code: 'too_large' });
    const zipped = await service.send(source, 'batch', gzipSync(batch(512_001)), {
      headers: { 'Content-Encoding': 'gzip' },
    });
    expect(zipped.status).toBe(413);
    expect(JSON.parse(zipped.text)).toMatchObject({ code: 'too_large' });
  });

  test('2,500 calls a batch are accepted, 2,501 are 413 too_large', async () => {
    const receiver = await receive();
    const source = await service.source();
    const destination = await service.destination(source, receiver.url());
    const batch = (count: number): object => ({
      batch: Array.from({ length: count }, () => ({ type: 'track', event: 'E', userId: 'u' })),
    });
    expect(await service.send(source, 'batch', batch(2_500))).toMatchObject({ status: 200, text: '{"success":true}' });
    const large = await service.send(source, 'batch', batch(2_501));
    expect(large.status).toBe(413);
    expect(JSON.parse(large.text)).toMatchObject({ success: false, code: 'too_large' });
    expect(await service.settled(destination, 2_500)).toMatchObject({ processed: 2_500 });
  });

  test('messageId: 100 characters are accepted', async () => {
    const source = await service.source();
    const messageId = 'é'.repeat(100);
    expect(await service.accept(source, { messageId })).toBe(messageId);
  });
});
