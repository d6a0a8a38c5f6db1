import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleEvent } from '../log/conformance.ts';
import type { SearchHit, SearchPage } from './contract.ts';
import { openWorld, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const page = async (query: Readonly<Record<string, string>>): Promise<SearchPage> => {
  const { status, body } = await world.get(`/api/search?${new URLSearchParams(query)}`);
  expect(status).toBe(200);
  return body as unknown as SearchPage;
};
const all = async (q: string, limit = '50'): Promise<SearchHit[]> => {
  const items: SearchHit[] = [];
  for (let cursor: string | null = null; ; ) {
    const one: SearchPage = await page({ q, limit, ...(cursor !== null && { cursor }) });
    items.push(...one.items);
    if (one.next === null) return items;
    cursor = one.next;
  }
};
const send = (sourceId: string, messageId: string, call: object): Promise<unknown> => {
  const body = new TextEncoder().encode(JSON.stringify({ messageId, ...call }));
  return world.log.append([sampleEvent(sourceId, messageId, { receivedAt: Date.now(), body })]);
};

test('finds settings, refused calls and messages, each with its reason', async () => {
  const { id, writeKey } = await world.source();
  const destination = await world.destination();
  await send(id, 'order-1', { properties: { orderNumber: 4711 } });
  world.rejections.add(id, 1_800_000_000_000, 'event_required', 'no event', '{"type":"track","orderNumber":4711}');
  const at = '2027-01-15T08:00:00.000Z';
  expect(await all('4711')).toMatchObject([
    { kind: 'rejection', id: `${id} ${at}`, sourceId: id, receivedAt: at, why: 'payload' },
    { kind: 'message', id: 'order-1', sourceId: id, type: 'track', event: 'Order Completed', why: 'payload' },
  ]);
  expect((await all('4711'))[1]?.excerpt).toContain('"orderNumber":4711');
  expect(await all(writeKey)).toMatchObject([{ kind: 'source', id, why: 'writeKey' }]);
  expect(await all(destination.id)).toMatchObject([{ kind: 'destination', id: destination.id, why: 'id' }]);
  // What an index knows comes at once, and again where the search comes to it.
  expect((await all('order-1')).map(({ kind, why }) => [kind, why])).toEqual([
    ['message', 'messageId'],
    ['message', 'messageId'],
  ]);
});

test('an unknown write key is found by its end, by the whole of it, and by who sent it', async () => {
  const stranger = { writeKey: 'key-that-no-source-has', address: '203.0.112.7', userAgent: 'shop-app/2' };
  world.rejections.unknownKey({ at: 1_800_000_000_000, code: 'unknown_write_key', message: 'none', ...stranger });
  const excerpt = '••••-has from 203.0.112.7, shop-app/2';
  for (const [q, why] of [
    ['-has', 'writeKey'],
    [stranger.writeKey, 'writeKey'],
    ['203.0.112.7', 'address'],
    ['Shop-App', 'userAgent'],
    ['unknown_write', 'code'],
  ] as const) {
    expect(await all(q), q).toMatchObject([
      { kind: 'rejection', name: 'unknown_write_key', sourceId: null, why, excerpt },
    ]);
  }
  expect(await all('a text that ends in has')).toEqual([]);
});

test('a refused call is found once, also when newer ones have taken its place in memory', async () => {
  const { id } = await world.source();
  const part = '{"order":"kept 88"}';
  world.rejections.add(id, 1_800_000_000_000, 'event_required', 'no event', part);
  const found = { kind: 'rejection', sourceId: id, why: 'payload', excerpt: part };
  expect(await all('kept 88')).toMatchObject([found]);
  for (let i = 0; i < 100; i++) world.rejections.add(id, 1_800_000_000_001, 'invalid_json', 'no JSON', '{');
  expect(world.rejections.recent(id).map(({ code }) => code)).not.toContain('event_required');
  expect(await all('kept 88')).toMatchObject([found]);
  await world.call('DELETE', `/api/sources/${id}`);
  expect(await all('kept 88')).toEqual([]);
});

test('a setting of the process is found by its variable and by its value', async () => {
  const setting = { kind: 'setting', id: 'MILLRACE_PORT', name: 'MILLRACE_PORT', excerpt: expect.any(String) };
  expect(await all('race_port')).toMatchObject([{ ...setting, why: 'name' }]);
  expect(await all('8080')).toMatchObject([{ ...setting, why: 'value', excerpt: '8080' }]);
});

test('goes on page by page to the end, and says how far it has come', async () => {
  const { id } = await world.source();
  for (let i = 0; i < 5; i++) await send(id, `paged-${i}`, { text: 'needle' });
  const first = await page({ q: 'needle', limit: '2' });
  expect(first.items.map((hit) => hit.id)).toEqual(['paged-4', 'paged-3']);
  expect(first).toMatchObject({ searchedEvents: 2, searchedTo: first.items[1]?.receivedAt });
  expect((await all('needle', '2')).map((hit) => hit.id)).toEqual([4, 3, 2, 1, 0].map((i) => `paged-${i}`));
  const last = await page({ q: 'needle', cursor: (await page({ q: 'nowhere' })).next ?? first.next ?? '' });
  expect(last.items.map((hit) => hit.id)).toEqual(['paged-2', 'paged-1', 'paged-0']);
});

test('takes hostile texts for what they are, and refuses what is no line of text', async () => {
  for (const q of ['%', "'", '\\', '.*', '(', "' OR 1=1 --", '\u{1F600}', '\ufffd', 'x'.repeat(200)]) {
    expect(await all(q), q).toEqual([]);
  }
  const underscores = (await all('_')).filter(({ kind }) => kind !== 'setting');
  expect(underscores.map(({ kind, why }) => [kind, why])).toEqual(Array(2).fill(['rejection', 'code']));
  for (const q of ['', ' ', 'x'.repeat(201), 'a\u0000b', 'a\nb', '\u007f']) {
    const { status, body } = await world.get(`/api/search?${new URLSearchParams({ q })}`);
    expect([status, body['code'], body['errors']], q).toMatchObject([400, 'invalid_input', [{ path: 'q' }]]);
  }
  for (const cursor of ['x', 'YzE6', 'YzE6bm9uZSBvZiBvdXJz']) {
    expect((await world.get(`/api/search?q=a&cursor=${cursor}`)).status, cursor).toBeLessThan(500);
  }
});

test('what an index knows is on the pages one after the other, also where one holds less', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 8; n++) {
    const { body } = await world.call('POST', '/api/sources', { name: `Zebra ${n}`, type: 'server' });
    ids.push(String(body['id']));
  }
  await send(ids[0] ?? '', 'zebra-1', { event: 'Zebra seen' });
  for (const limit of ['1', '3', '8', '50']) {
    const hits = await all('Zebra', limit);
    expect(hits.map(({ id }) => id).toSorted()).toEqual([...ids, 'zebra-1'].toSorted());
  }
});

test.each(['abc', 'k', 'kx', '5-6', 'mx', 'm5-6'])('a cursor of something else is refused: %s', async (text) => {
  const cursor = Buffer.from(`c1:${text}`).toString('base64url');
  const refused = await world.get(`/api/search?${new URLSearchParams({ q: 'zebra', cursor })}`);
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: 'cursor' }] } });
});
