import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../core/clock.ts';
import type { Settlement } from '../core/delivery.ts';
import type { Event, LogEntry } from '../core/event.ts';
import { FAULTS, Fault } from '../core/fault.ts';
import { checkUrl } from '../deliver/address.ts';
import { checkHeaders } from '../deliver/headers.ts';
import { createServer } from '../http/server.ts';
import { Health } from '../observe/health.ts';
import { createLogger } from '../observe/logger.ts';
import { Metrics } from '../observe/metrics.ts';
import { Replays } from '../record/replay.ts';
import { Settings } from '../settings/settings.ts';
import { openSqliteStore } from '../stores/sqlite/store.ts';
import type * as contract from './contract.ts';
import type { AdminDeps } from './deps.ts';
import { newId } from './ids.ts';
import { adminApi } from './plugin.ts';

const TOKEN = 'correct-horse-battery-staple';
const SECRET = 'shared-secret-0123456789';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

test('every route under /api asks for the token, unknown ones too', async () => {
  const paths = ['/api/sources', '/api/openapi.json', '/api/nowhere', '/api/destinations/x/counts'];
  for (const path of paths) {
    for (const authorization of [undefined, 'Bearer wrong', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, 'Bearer']) {
      const answer = await fetch(world.origin + path, authorization ? { headers: { authorization } } : {});
      expect(answer.status, `${path} ${authorization}`).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(await answer.json()).toMatchObject({ code: 'unauthorized', status: 401 });
    }
  }
  const { status } = await world.get('/api/sources');
  expect(status).toBe(200);
});

test('unknown paths, wrong methods and bodies that are no JSON are told apart', async () => {
  expect(await world.get('/api/nowhere')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  const wrong = await world.call('PUT', '/api/sources', {});
  expect(wrong).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
  expect(wrong.headers.get('allow')).toBe('GET, POST');
  expect(await world.raw('/api/sources', '{"name":', 'application/json')).toMatchObject({
    status: 400,
    body: { code: 'invalid_json' },
  });
  expect((await world.raw('/api/sources', 'name=x', 'text/plain')).status).toBe(415);
  expect(await world.raw('/api/sources', '', 'application/json')).toMatchObject({ status: 400 });
  expect(await world.raw('/api/sources', 'null', 'application/json')).toMatchObject({
    status: 400,
    body: { code: 'invalid_input', errors: [{ path: '', message: 'must be object' }] },
  });
});

test('sources: made, listed, changed, given a new key, deleted', async () => {
  const made = await world.call('POST', '/api/sources', { name: 'Web shop', type: 'web' });
  expect(made.status).toBe(201);
  const source = made.body as unknown as contract.Source;
  expect(source).toEqual({
    id: expect.stringMatching(/^src_[a-z2-7]{16}$/),
    name: 'Web shop',
    type: 'web',
    writeKey: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
    enabled: true,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  const path = `/api/sources/${source.id}`;
  expect(made.headers.get('location')).toBe(path);
  expect(made.headers.get('cache-control')).toBe('no-store');
  expect((await world.get(path)).body).toEqual(source);
  expect(((await world.get('/api/sources?limit=500')).body['items'] as unknown[]).at(-1)).toEqual(source);

  expect((await world.call('PATCH', path, { enabled: false })).body).toEqual({ ...source, enabled: false });
  const rotated = (await world.call('POST', `${path}/rotate-key`)).body;
  expect(rotated['writeKey']).not.toBe(source.writeKey);
  expect(world.settings.sourceByWriteKey(source.writeKey)).toBeUndefined();
  expect((await world.get(`${path}/totals`)).body).toEqual({ accepted: 0, duplicates: 0, rejected: 1 });
  expect((await world.get(`${path}/rejections`)).body).toEqual({
    items: [{ at: '1970-01-01T00:00:01.000Z', code: 'event_required', message: 'No event', part: '{}' }],
    next: null,
  });

  const clash = await world.call('POST', '/api/sources', { name: 'B', type: 'web', writeKey: rotated['writeKey'] });
  expect(clash).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect((await world.call('DELETE', path)).status).toBe(204);
  expect(await world.get(path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect((await world.call('DELETE', path)).status).toBe(404);
});

const wrongSources: [object, string[]][] = [
  [{}, ['name', 'type']],
  [{ name: ' ', type: 'web' }, ['name']],
  [{ name: 'x'.repeat(201), type: 'desktop' }, ['name', 'type']],
  [{ name: 'A', type: 'web', color: 'red' }, ['color']],
  [{ name: 5, type: 'web', writeKey: 'short' }, ['name', 'writeKey']],
];

test.each(wrongSources)('a source that is refused names its wrong fields: %j', async (body, paths) => {
  const answer = await world.call('POST', '/api/sources', body);
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input', type: 'about:blank' } });
  expect(world.wrongPaths(answer)).toEqual(paths);
});

test('the catalog holds Webhooks, with the schema of its settings', async () => {
  const { body } = await world.get('/api/catalog');
  expect(body['items']).toMatchObject([
    { name: 'Webhooks', settings: { type: 'object', properties: { webhooks: { minItems: 1, maxItems: 5 } } } },
  ]);
});

test('destinations: made, changed field by field, secrets never come back', async () => {
  const source = await world.source();
  const made = await world.call('POST', '/api/destinations', {
    name: 'CRM',
    type: 'Webhooks',
    sourceIds: [source.id],
    settings: {
      webhooks: [{ url: 'https://203.0.112.9/hook', headers: { 'X-Team': 'growth' } }],
      sharedSecret: SECRET,
    },
    trackFilter: { mode: 'deny', events: ['Mouse Moved'] },
  });
  const destination = made.body as unknown as contract.Destination;
  expect(made.status, made.text).toBe(201);
  expect(destination).toMatchObject({
    id: expect.stringMatching(/^dst_[a-z2-7]{16}$/),
    enabled: true,
    settings: {
      webhooks: [{ url: 'https://203.0.112.9/hook', headers: { 'X-Team': 'growth' } }],
      sharedSecret: { set: true },
    },
  });
  const path = `/api/destinations/${destination.id}`;
  const change = async (body: object): Promise<unknown> => (await world.call('PATCH', path, body)).body;

  expect(await change({})).toEqual(destination);
  const webhooks = [
    { url: 'https://203.0.112.8/a' },
    { url: 'https://203.0.112.8/b', headers: { Authorization: 'k' } },
  ];
  const moved = { ...destination.settings, webhooks: webhooks.map(({ url, headers = {} }) => ({ url, headers })) };
  expect(await change({ settings: { webhooks } })).toEqual({ ...destination, settings: moved });
  expect(world.settings.destination(destination.id)?.sharedSecret).toBe(SECRET);
  expect(await change({ settings: { sharedSecret: null } })).toMatchObject({
    settings: { ...moved, sharedSecret: { set: false } },
  });
  expect(await change({ settings: { sharedSecret: 'another' } })).toMatchObject({
    settings: { sharedSecret: { set: true } },
  });
  expect(world.settings.destination(destination.id)?.sharedSecret).toBe('another');
  expect(await change({ trackFilter: null, enabled: false, name: 'Old CRM', sourceIds: [] })).toMatchObject({
    trackFilter: null,
    enabled: false,
    name: 'Old CRM',
    sourceIds: [],
  });

  const listed = await world.get('/api/destinations?limit=500');
  expect(listed.text + (await world.get(path)).text + made.text).not.toContain(SECRET);
  expect((await world.call('DELETE', path)).status).toBe(204);
  expect((await world.get(path)).status).toBe(404);
  expect(world.logged()).not.toContain(SECRET);
});

const good = { name: 'CRM', type: 'Webhooks', settings: { webhooks: [{ url: 'https://203.0.112.9/hook' }] } };
const url = (text: string, headers: object = {}): object => ({
  ...good,
  settings: { webhooks: [{ url: text, headers }] },
});

const wrongDestinations: [string, object, string, string[]][] = [
  ['nothing given', {}, 'invalid_input', ['name', 'type', 'settings']],
  ['another type', { ...good, type: 'webhooks' }, 'invalid_input', ['type']],
  ['no URL', { ...good, settings: { webhooks: [] } }, 'invalid_input', ['settings.webhooks']],
  [
    'six URLs',
    { ...good, settings: { webhooks: Array.from({ length: 6 }, () => ({ url: 'https://203.0.112.9/' })) } },
    'invalid_input',
    ['settings.webhooks'],
  ],
  ['no address', url('not a url'), 'invalid_input', ['settings.webhooks.0.url']],
  ['another protocol', url('ftp://203.0.112.9/'), 'invalid_input', ['settings.webhooks.0.url']],
  ['a private address', url('http://127.0.0.1/'), 'address_not_allowed', ['settings.webhooks.0.url']],
  [
    'a forbidden header',
    url('https://203.0.112.9/', { Host: 'x' }),
    'invalid_input',
    ['settings.webhooks.0.headers.Host'],
  ],
  [
    'a line break in a header',
    url('https://203.0.112.9/', { 'X-A': 'a\r\nb: c' }),
    'invalid_input',
    ['settings.webhooks.0.headers.X-A'],
  ],
  [
    'a header that is no text',
    url('https://203.0.112.9/', { A: 1 }),
    'invalid_input',
    ['settings.webhooks.0.headers.A'],
  ],
  ['a source that is not there', { ...good, sourceIds: ['src_none'] }, 'invalid_input', ['sourceIds.0']],
  [
    'an empty secret',
    { ...good, settings: { ...good.settings, sharedSecret: '' } },
    'invalid_input',
    ['settings.sharedSecret'],
  ],
  [
    'unknown fields',
    { ...good, colour: 1, settings: { webhooks: [{ url: 'https://203.0.112.9/', method: 'GET' }] } },
    'invalid_input',
    ['settings.webhooks.0.method', 'colour'],
  ],
  [
    'a wrong filter',
    { ...good, trackFilter: { mode: 'maybe', events: [1] } },
    'invalid_input',
    ['trackFilter.mode', 'trackFilter.events.0'],
  ],
];

test.each(wrongDestinations)('a destination is refused: %s', async (_, body, code, paths) => {
  const answer = await world.call('POST', '/api/destinations', body);
  expect(answer.status, answer.text).toBe(400);
  expect(answer.body['code']).toBe(code);
  expect(world.wrongPaths(answer).sort()).toEqual([...paths].sort());
  expect(world.settings.destinations().every(({ name }) => name !== 'CRM')).toBe(true);
});

test('a test message shows what was sent and what came back', async () => {
  const { id } = await world.destination();
  const path = `/api/destinations/${id}/test`;
  const { status, body } = await world.call('POST', path, { event: { type: 'track', event: 'Try', userId: 'u' } });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    messageId: 'test-1',
    body: '{"type":"track","event":"Try","userId":"u"}',
    urls: [
      { url: 'https://203.0.112.9/hook', status: 200, ms: 12, class: 'success', headers: { 'X-Signature': 'abc' } },
    ],
  });
  expect((await world.call('POST', path, {})).body['body']).toContain('Order Completed');
  const refused = await world.call('POST', path, { event: { type: 'track' } });
  expect(refused).toMatchObject({ status: 400, body: { code: 'event_required' } });
  expect((await world.get('/metrics')).text).toContain(`millrace_test_messages_total{destination="${id}"} 2`);
});

test('counts, deliveries and traces tell what was recorded', async () => {
  const { id, source } = await world.destination();
  const entries = await world.accept(source, ['m1', 'm2', 'm3', 'm4']);
  const lane = (await world.log.lanes()).find(({ destinationId }) => destinationId === id);
  const settle = (entry: LogEntry | undefined, more: Partial<Settlement>): Settlement => {
    if (!entry || !lane) throw new Error('nothing to settle');
    return { ...settled(entry, id, lane.id), ...more };
  };
  await world.deliveries.settle([
    settle(entries[0], { state: 'processed' }),
    settle(entries[1], { state: 'failed', reason: 'no_url_left' }),
    settle(entries[2], { state: 'retrying', dueAt: Date.UTC(2100, 0), urlsLeft: ['https://203.0.112.9/hook'] }),
  ]);

  expect((await world.get(`/api/destinations/${id}/counts`)).body).toEqual({
    accepted: 4,
    processed: 1,
    failed: 1,
    filtered: 0,
    waiting: 2,
    retrying: 1,
  });
  expect((await world.get(`/api/destinations/${id}/lanes`)).body).toMatchObject({
    items: [{ sourceId: source, ended: false, accepted: 4, waiting: 2 }],
  });

  const first = (await world.get(`/api/deliveries?destinationId=${id}&limit=2`)).body;
  const second = (await world.get(`/api/deliveries?destinationId=${id}&limit=2&cursor=${first['next']}`)).body;
  const all = [...(first['items'] as contract.Delivery[]), ...(second['items'] as contract.Delivery[])];
  expect(all.map(({ messageId }) => messageId)).toEqual(['m3', 'm2', 'm1']);
  expect(all[0]).toMatchObject({ state: 'retrying', nextAttemptAt: '2100-01-01T00:00:00.000Z', rounds: 1 });
  expect(all[2]?.attempts).toEqual([
    {
      url: 'https://203.0.112.9/hook',
      at: '2026-01-01T00:00:00.000Z',
      ms: 8,
      status: 200,
      error: null,
      detail: null,
      answer: 'ok',
    },
  ]);
  const failed = (await world.get(`/api/deliveries?destinationId=${id}&state=failed&from=2000-01-01&to=2100-01-01`))
    .body;
  expect(failed['items']).toMatchObject([{ messageId: 'm2', reason: 'no_url_left' }]);
  for (const [query, path] of [
    ['cursor=nonsense', 'cursor'],
    ['from=yesterday', 'from'],
    ['limit=501', 'limit'],
    ['limit=all', 'limit'],
    ['state=lost', 'state'],
    ['colour=red', 'colour'],
  ]) {
    expect(world.wrongPaths(await world.get(`/api/deliveries?${query}`)), query).toEqual([path]);
  }

  const trace = (await world.get(`/api/messages/m2?sourceId=${source}`)).body as unknown as contract.Trace;
  expect(trace).toMatchObject({
    messageId: 'm2',
    sourceId: source,
    received: { type: 'track', event: 'Order', userId: 'u', timestamp: 'Tuesday', extra: true },
    lanes: [{ destinationId: id, destinationName: 'Target', state: 'failed', reason: 'no_url_left', rounds: 1 }],
  });
  expect(trace.sent).toBe(new TextDecoder().decode(entries[1]?.body));
  const waiting = (await world.get('/api/messages/m4')).body as unknown as contract.Trace;
  expect(waiting.lanes).toMatchObject([{ state: 'waiting', attempts: [], updatedAt: null }]);
  expect((await world.get('/api/messages/unknown')).status).toBe(404);

  const dry = await world.call('POST', '/api/replays', { destinationId: id, state: 'failed', dryRun: true });
  expect(dry).toMatchObject({ status: 200, body: { count: 1, sample: [{ messageId: 'm2' }] } });
  const made = await world.call('POST', '/api/replays', { destinationId: id, state: 'failed', perSecond: 1000 });
  expect(made).toMatchObject({ status: 201, body: { total: 1, status: 'running' } });
  const replayId = String(made.body['id']);
  expect(await world.woken()).toBe(id);
  expect((await world.get(`/api/destinations/${id}/counts`)).body).toMatchObject({ failed: 0, waiting: 3 });
  const stopped = await world.call('POST', `/api/replays/${replayId}/stop`);
  expect(stopped).toMatchObject({ status: 200, body: { id: replayId, done: 1 } });
  expect(((await world.get('/api/replays')).body['items'] as contract.Replay[])[0]?.id).toBe(replayId);
  expect((await world.get(`/api/replays/${replayId}`)).body).toEqual(stopped.body);
  expect((await world.get('/api/replays/rpl_none')).status).toBe(404);
  const nowhere = await world.call('POST', '/api/replays', { destinationId: 'dst_none', state: 'failed' });
  expect(world.wrongPaths(nowhere)).toEqual(['destinationId']);
  const backwards = { destinationId: id, state: 'all', from: '2026-02-01', to: '2026-01-01' };
  expect(world.wrongPaths(await world.call('POST', '/api/replays', backwards))).toEqual(['to']);
});

test('the state of sending is shown, idle when this process sends nothing', async () => {
  const { id } = await world.destination();
  expect((await world.get(`/api/destinations/${id}/status`)).body).toEqual({
    breaker: 'closed',
    probeAt: null,
    urls: [{ url: 'https://203.0.112.9/hook', concurrency: 0, inFlight: 0, stalled: false, lastError: null }],
  });
});

test('pages follow one another until there is none', async () => {
  for (let i = 0; i < 3; i++) await world.source();
  const ids: string[] = [];
  let next: unknown = '';
  while (next !== null) {
    const { body } = await world.get(`/api/sources?limit=2${next === '' ? '' : `&cursor=${String(next)}`}`);
    ids.push(...(body['items'] as contract.Source[]).map(({ id }) => id));
    next = body['next'];
  }
  expect(ids.sort()).toEqual(
    world.settings
      .sources()
      .map(({ id }) => id)
      .sort(),
  );
});

test('health and metrics are open, and tell what fails', async () => {
  expect((await fetch(`${world.origin}/health/live`)).status).toBe(200);
  expect(await (await fetch(`${world.origin}/health/ready`)).json()).toEqual({
    status: 'ok',
    checks: [{ name: 'storage', ok: true, reason: null }],
  });
  world.ail('the disk is full');
  const ailing = await fetch(`${world.origin}/health/ready`);
  expect(ailing.status).toBe(503);
  expect(await ailing.json()).toMatchObject({ status: 'failing', checks: [{ reason: 'the disk is full' }] });
  world.ail(null);
  const metrics = await fetch(`${world.origin}/metrics`);
  expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await metrics.text()).toContain('# TYPE millrace_events_accepted_total counter');
});

test('the OpenAPI document names every route, schema, refusal and the security scheme', async () => {
  const { body } = await world.get('/api/openapi.json');
  const text = JSON.stringify(body);
  const paths = body['paths'] as Record<
    string,
    Record<string, { responses: object; security?: unknown; operationId: string }>
  >;
  for (const route of world.routes) expect(paths, route.url).toHaveProperty([route.path, route.method.toLowerCase()]);
  for (const path of ['/v1/batch', '/v1/t', '/v1/pixel/{type}', '/v1/projects/{writeKey}/settings']) {
    expect(Object.keys(paths)).toContain(path);
  }
  const schemas = (body['components'] as { schemas: object }).schemas;
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
    expect(schemas).toHaveProperty([name ?? '']);
  expect(Object.keys(schemas)).not.toContainEqual(expect.stringMatching(/^(def-|Schema)\d/));
  expect(body['security']).toEqual([{ adminToken: [] }]);
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const [path, methods] of Object.entries(paths)) {
    if (!path.startsWith('/api/')) continue;
    for (const { responses } of Object.values(methods)) {
      expect(responses).toHaveProperty(['401', 'content', 'application/problem+json']);
    }
  }
  for (const code of Object.keys(FAULTS)) expect(text).toContain(code);
});

interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** The admin API over a real store, on a port of its own. */
async function openWorld() {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-admin-'));
  const store = await openSqliteStore({ dataDir, clock: systemClock });
  const settings = new Settings(store.settings, store.log);
  await settings.load();
  const wakes: string[] = [];
  let onWake = (): void => undefined;
  const replays = new Replays({
    store: store.deliveries,
    clock: systemClock,
    newId: () => newId('rpl'),
    sourceIdsOf: async (id) => settings.destination(id)?.sourceIds ?? null,
    wake: (id) => {
      wakes.push(id);
      onWake();
    },
    log: createLogger({ level: 'silent' }),
  });
  await replays.start();
  const lines: string[] = [];
  const to = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const health = new Health(systemClock);
  let ailment: string | null = null;
  health.addReady('storage', () => ailment);
  const deps: AdminDeps = {
    token: TOKEN,
    clock: systemClock,
    settings,
    log: store.log,
    deliveries: store.deliveries,
    replays,
    rejections: {
      count: () => 1,
      recent: () => [{ at: 1000, code: 'event_required', message: 'No event', part: '{}' }],
    },
    sendTest: async (destination, call) => {
      if (call['event'] === undefined) throw new Fault('event_required', 'A track call needs an event name');
      const [webhook] = destination.webhooks;
      const attempt = { url: webhook?.url ?? '', at: 0, ms: 12, status: 200, error: null, detail: null, answer: 'ok' };
      const tested = { class: 'success' as const, headers: { 'X-Signature': 'abc' }, attempt };
      return { messageId: 'test-1', body: JSON.stringify(call), urls: [tested] };
    },
    checkUrl: (text) => checkUrl(text, { allowPrivate: false }),
    checkHeaders,
    destinationStatus: () => null,
    health,
    metrics: new Metrics(),
  };
  const server = createServer({ logger: createLogger({ level: 'debug', to }), trustProxy: false });
  const routes: { url: string; path: string; method: string }[] = [];
  server.addHook('onRoute', ({ url, method }) => {
    const path = url.replaceAll(/:(\w+)/g, '{$1}');
    for (const one of [method].flat()) routes.push({ url, path, method: one });
  });
  await server.register(adminApi, deps);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const origin = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;

  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const answer = await fetch(origin + path, {
      ...init,
      headers: { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string>) },
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : {} };
  };
  const raw = (path: string, body: string, type: string): Promise<Answer> =>
    send(path, { method: 'POST', body, headers: { 'content-type': type } });
  const call = (method: string, path: string, body?: object): Promise<Answer> =>
    send(
      path,
      body ? { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : { method },
    );
  const source = async (): Promise<contract.Source> =>
    (await call('POST', '/api/sources', { name: 'A source', type: 'server' })).body as unknown as contract.Source;

  return {
    origin,
    settings,
    routes,
    log: store.log,
    deliveries: store.deliveries,
    raw,
    call,
    source,
    get: (path: string) => send(path, {}),
    logged: () => lines.join(''),
    ail(reason: string | null) {
      ailment = reason;
    },
    async destination() {
      const { id: sourceId } = await source();
      const made = await call('POST', '/api/destinations', { ...good, name: 'Target', sourceIds: [sourceId] });
      return { id: String(made.body['id']), source: sourceId };
    },
    async accept(sourceId: string, messageIds: string[]): Promise<readonly (LogEntry | undefined)[]> {
      await store.log.append(messageIds.map((messageId) => event(sourceId, messageId)));
      return Promise.all(messageIds.map((messageId) => store.log.find(messageId, [sourceId])));
    },
    /** The destination whose shelf has new work, as soon as there is one. */
    async woken(): Promise<string | undefined> {
      while (wakes.length === 0) {
        await new Promise<void>((resolve) => {
          onWake = resolve;
        });
      }
      return wakes.shift();
    },
    wrongPaths: ({ body }: Answer) => ((body['errors'] ?? []) as contract.FieldError[]).map(({ path }) => path),
    async close() {
      await server.close();
      await replays.stop();
      await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

function event(sourceId: string, messageId: string): Event {
  const body = {
    version: 1,
    type: 'track',
    userId: 'u',
    event: 'Order',
    timestamp: '2026-01-01T00:00:00.000Z',
    context: {},
  };
  return {
    sourceId,
    messageId,
    type: 'track',
    name: 'Order',
    userId: 'u',
    receivedAt: Date.now(),
    integrations: null,
    unsent: '{"extra":true}',
    body: Buffer.from(JSON.stringify({ ...body, messageId, receivedAt: 'now', originalTimestamp: 'Tuesday' })),
  };
}

function settled(entry: LogEntry, destinationId: string, laneId: number): Settlement {
  const at = Date.UTC(2026, 0);
  return {
    laneId,
    destinationId,
    entry,
    state: 'processed',
    reason: null,
    attempts: [{ url: 'https://203.0.112.9/hook', at, ms: 8, status: 200, error: null, detail: null, answer: 'ok' }],
    rounds: 1,
    firstAt: at,
    dueAt: null,
    urlsLeft: null,
    at,
  };
}
