import { describe, expect, test } from 'vitest';
import type { AuditEntry, Destination, Page, Problem, Source } from '../../packages/server/src/admin/contract.ts';
import { DEFAULT_OPTIONS } from '../../packages/server/src/core/destination.ts';
import { ask } from './kit/http.ts';
import { receive } from './kit/receiver.ts';
import { ADMIN_TOKEN, sharedService } from './kit/service.ts';

const service = sharedService();

interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly security?: readonly unknown[] }>>>>;
}

describe('contract 12: authentication', () => {
  test.each([
    ['none', {}, 1],
    ['a wrong token', { Authorization: 'Bearer wrong' }, 2],
    ['a longer token', { Authorization: `Bearer ${ADMIN_TOKEN}x` }, 3],
    ['a shorter token', { Authorization: `Bearer ${ADMIN_TOKEN.slice(0, -1)}` }, 4],
    ['an empty token', { Authorization: 'Bearer ' }, 5],
    ['another scheme', { Authorization: `Basic ${Buffer.from(`${ADMIN_TOKEN}:`).toString('base64')}` }, 6],
    ['the token alone', { Authorization: ADMIN_TOKEN }, 7],
  ])('%s: 401 on every route, with problem details', async (_, headers, place) => {
    let asked = 0;
    const { paths } = await service.must<OpenApi>('GET', '/api/openapi.json');
    const routes = Object.entries(paths).filter(([path]) => path.startsWith('/api/') && path !== '/api/openapi.json');
    expect(routes.length).toBeGreaterThan(12);
    for (const [path, methods] of routes) {
      for (const [method, { security }] of Object.entries(methods)) {
        // What signs a user in wants no sign-in.
        if (security?.length === 0) continue;
        const answer = await ask(service.url + path.replace(/\{\w+\}/g, 'x'), {
          method: method.toUpperCase(),
          headers,
          // An address that is wrong too often is slowed down.
          from: `127.0.${place}.${1 + Math.floor(asked++ / 50)}`,
        });
        expect([method, path, answer.status]).toEqual([method, path, 401]);
        expect(JSON.parse(answer.text)).toMatchObject({ status: 401, code: 'unauthorized' });
        expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
      }
    }
  });

  test('who guesses tokens is slowed down, logged and audited; the right token never is', async () => {
    const from = '127.0.1.99';
    const guess = (n: number) =>
      ask(`${service.url}/api/sources`, { headers: { Authorization: `Bearer guess-${n}` }, from });
    for (let n = 0; n < 100; n++) expect((await guess(n)).status).toBe(401);
    const refused = await guess(100);
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([429, { code: 'rate_limited' }]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const right = await ask(`${service.url}/api/sources`, {
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
      from,
    });
    expect(right.status).toBe(200);
    expect((await ask(`${service.url}/api/sources`, { headers: { Authorization: 'Bearer x' } })).status).toBe(401);
    const { items } = await service.must<Page<AuditEntry>>('GET', '/api/audit');
    const entries = items.filter(({ action, address }) => action === 'token.refuse' && address === from);
    expect(entries).toHaveLength(2);
  });

  test('a write key is no admin token, and the admin token is no write key', async () => {
    const source = await service.source();
    const asAdmin = await ask(`${service.url}/api/sources`, {
      headers: { Authorization: `Bearer ${source.writeKey}` },
    });
    expect(asAdmin.status).toBe(401);
    const asClient = await service.send({ ...source, writeKey: ADMIN_TOKEN }, 'track', { event: 'E', userId: 'u' });
    expect(asClient.status).toBe(401);
  });
});

describe('contract 12: sources', () => {
  test('are created, listed, changed and deleted', async () => {
    const created = await service.api('POST', '/api/sources', { name: 'Web shop', type: 'web' });
    expect(created.status).toBe(201);
    const source = JSON.parse(created.text) as Source;
    service.secrets.add(source.writeKey);
    expect(source).toEqual({
      id: expect.any(String),
      name: 'Web shop',
      type: 'web',
      writeKey: expect.stringMatching(/^.{16,}$/),
      enabled: true,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      oldKey: null,
      sentBy: null,
      allowedOrigins: [],
      quota: null,
      alerts: {},
      limits: { eventsPerSecond: 2_000, bytesPerSecond: 4_000_000, eventsPerDay: null },
      revision: 1,
    });
    expect(await service.must('GET', `/api/sources/${source.id}`)).toEqual(source);
    const changed = await service.must('PATCH', `/api/sources/${source.id}`, { name: 'Shop', enabled: false });
    expect(changed).toEqual({ ...source, name: 'Shop', enabled: false, revision: 2 });
    const { items } = await service.must<Page<Source>>('GET', '/api/sources?limit=500');
    expect(items).toContainEqual(changed);
    expect((await service.api('DELETE', `/api/sources/${source.id}`)).status).toBeLessThan(300);
    expect(await service.refused('GET', `/api/sources/${source.id}`)).toMatchObject({ status: 404, code: 'not_found' });
    expect(await service.refused('DELETE', `/api/sources/${source.id}`)).toMatchObject({ status: 404 });
  });

  test('lists are paged by a cursor', async () => {
    for (let n = 0; n < 5; n++) await service.source({ name: `Paged ${n}` });
    const whole = await service.must<Page<Source>>('GET', '/api/sources?limit=500');
    expect(whole.next).toBeNull();
    const items: Source[] = [];
    let next: string | null = '';
    while (next !== null) {
      const page: Page<Source> = await service.must(
        'GET',
        `/api/sources?limit=2${next && `&cursor=${encodeURIComponent(next)}`}`,
      );
      items.push(...page.items);
      ({ next } = page);
    }
    expect(items).toEqual(whole.items);
  });

  test.each([
    [{}, ['name', 'type']],
    [{ name: 'x', type: 'fridge' }, ['type']],
    [{ name: '', type: 'web' }, ['name']],
    [{ name: 7, type: 'web' }, ['name']],
    [{ name: 'x', type: 'web', colour: 'red' }, ['colour']],
    [[], ['']],
    [null, ['']],
    ['x', ['']],
  ])('%j is refused, and each wrong field is named', async (body, paths) => {
    const problem = await service.refused('POST', '/api/sources', body);
    expect(problem).toMatchObject({ status: 400, title: expect.any(String), detail: expect.any(String) });
    expect(problem.errors?.map(({ path }) => path).sort() ?? ['']).toEqual(paths);
  });

  test.each(['{', '', '{"name":"x"} x'])('%j is no JSON', async (body) => {
    const answer = await ask(`${service.url}/api/sources`, {
      body,
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
    });
    expect(answer.status).toBe(400);
    expect((JSON.parse(answer.text) as Problem).code).toMatch(/^invalid_/);
  });

  test('two sources cannot have one write key', async () => {
    const source = await service.source();
    const wish = { name: 'Copy', type: 'web', writeKey: source.writeKey };
    const problem = await service.refused('POST', '/api/sources', wish);
    expect(problem).toMatchObject({ status: 409, code: 'conflict' });
  });
});

describe('contract 12: destinations', () => {
  const WISH = {
    name: 'CRM',
    type: 'Webhooks',
    settings: {
      webhooks: [{ url: 'http://127.0.0.1:9/hook', headers: { 'X-Team': 'growth' } }],
      sharedSecret: 'never to be seen again',
    },
    trackFilter: { mode: 'deny', events: ['Mouse Moved'] },
  };

  test('are created, read and changed; the shared secret is write-only', async () => {
    service.secrets.add('never to be seen again');
    const source = await service.source();
    const created = await service.api('POST', '/api/destinations', { ...WISH, sourceIds: [source.id] });
    expect(created.status).toBe(201);
    const destination = JSON.parse(created.text) as Destination;
    expect(destination).toEqual({
      ...DEFAULT_OPTIONS,
      departures: [],
      paused: null,
      ...WISH,
      id: expect.any(String),
      sourceIds: [source.id],
      enabled: true,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
      settings: {
        webhooks: [{ id: expect.stringMatching(/^url_\w{16}$/), ...WISH.settings.webhooks[0] }],
        signatures: ['segment'],
        sharedSecret: { set: true },
        standardSecret: { set: false },
      },
      revision: 1,
    });
    const path = `/api/destinations/${destination.id}`;
    expect(await service.must('GET', path)).toEqual(destination);
    const list = await service.api('GET', '/api/destinations?limit=500');
    expect(list.text).not.toContain('never to be seen again');
    expect((JSON.parse(list.text) as Page<Destination>).items).toContainEqual(destination);

    expect(await service.must('PATCH', path, { name: 'New' })).toEqual({
      ...destination,
      name: 'New',
      revision: 2,
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(await service.must('PATCH', path, { settings: { sharedSecret: null } })).toMatchObject({
      settings: { ...destination.settings, sharedSecret: { set: false } },
    });
    expect(await service.must('PATCH', path, { settings: { sharedSecret: 'another' } })).toMatchObject({
      settings: { sharedSecret: { set: true } },
    });
    expect(
      await service.must('PATCH', path, {
        trackFilter: null,
        settings: { webhooks: [{ url: 'http://127.0.0.1:9/2' }] },
      }),
    ).toMatchObject({
      trackFilter: null,
      settings: { webhooks: [{ url: 'http://127.0.0.1:9/2', headers: {} }], sharedSecret: { set: true } },
    });
    expect((await service.api('DELETE', path)).status).toBeLessThan(300);
    expect(await service.refused('GET', path)).toMatchObject({ status: 404, code: 'not_found' });
  });

  test.each([
    ['no name', { name: undefined }, 'name'],
    ['another type', { type: 'webhooks' }, 'type'],
    ['no settings', { settings: undefined }, 'settings'],
    ['no webhooks', { settings: {} }, 'settings.webhooks'],
    ['a webhook without URL', { settings: { webhooks: [{}] } }, 'settings.webhooks.0.url'],
    ['a source that is not there', { sourceIds: ['nobody'] }, 'sourceIds.0'],
    ['a filter mode that is not there', { trackFilter: { mode: 'some', events: [] } }, 'trackFilter.mode'],
    ['a filter of no texts', { trackFilter: { mode: 'deny', events: [7] } }, 'trackFilter.events.0'],
    ['a secret that is no text', { settings: { ...WISH.settings, sharedSecret: 7 } }, 'settings.sharedSecret'],
    ['a field that is not there', { colour: 'red' }, 'colour'],
  ])('%s is refused and named', async (_, wish, path) => {
    const problem = await service.refused('POST', '/api/destinations', { ...WISH, ...wish });
    expect(problem).toMatchObject({ status: 400, code: 'invalid_input' });
    expect(problem.errors?.map((error) => error.path)).toContain(path);
  });

  test('that is deleted gets nothing more', async () => {
    const receiver = await receive();
    const source = await service.source();
    const destination = await service.destination(source, receiver.url('/gone'));
    const other = await service.destination(source, receiver.url('/stays'));
    await service.must('DELETE', `/api/destinations/${destination.id}`);
    await service.accept(source);
    expect(await service.settled(other, 1)).toMatchObject({ processed: 1 });
    expect(receiver.on('/gone')).toEqual([]);
  });

  test('the catalog has Webhooks, with the schema of its settings', async () => {
    const { items } = await service.must<Page<{ name: string; settings: { properties: object } }>>(
      'GET',
      '/api/catalog',
    );
    expect(items).toMatchObject([{ name: 'Webhooks', description: expect.any(String), settings: { type: 'object' } }]);
    expect(Object.keys(items[0]?.settings.properties ?? {}).sort()).toEqual([
      'sharedSecret',
      'signatures',
      'standardSecret',
      'webhooks',
    ]);
    expect(JSON.stringify(items)).toContain('"maxItems":5');
  });
});

describe('contract 12: the OpenAPI document', () => {
  test('is served, and every path in it is there', async () => {
    const document = await service.must<OpenApi>('GET', '/api/openapi.json');
    expect(document.openapi).toMatch(/^3\./);
    for (const [path, methods] of Object.entries(document.paths)) {
      // A stream has no end to wait for.
      if (path === '/api/events/live') continue;
      for (const method of Object.keys(methods)) {
        const url = service.url + path.replace(/\{\w+\}/g, 'x');
        const answer = await ask(url, {
          method: method.toUpperCase(),
          headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
        });
        const missing = answer.status === 404 && answer.text.includes('There is nothing at this path');
        expect([method, path, missing, answer.status >= 500]).toEqual([method, path, false, false]);
      }
    }
  });

  test('has every call that contract 8 and 12 name for this version', async () => {
    const { paths } = await service.must<OpenApi>('GET', '/api/openapi.json');
    const all = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const named = [
      'POST /api/sources',
      'GET /api/sources',
      'GET /api/sources/{id}',
      'PATCH /api/sources/{id}',
      'DELETE /api/sources/{id}',
      'POST /api/sources/{id}/rotate-key',
      'GET /api/catalog',
      'POST /api/destinations',
      'GET /api/destinations',
      'GET /api/destinations/{id}',
      'PATCH /api/destinations/{id}',
      'DELETE /api/destinations/{id}',
      'POST /api/destinations/{id}/test',
      'GET /api/destinations/{id}/counts',
      'GET /api/deliveries',
      'GET /api/messages/{messageId}',
      'POST /api/replays',
      'GET /health/live',
      'GET /health/ready',
      'GET /metrics',
      'POST /v1/batch',
      'POST /v1/import',
      'POST /v1/track',
    ];
    expect(named.filter((name) => !all.includes(name))).toEqual([]);
  });

  test('a path or method that is not there is a problem too', async () => {
    expect(await service.refused('GET', '/api/nonsense')).toMatchObject({ status: 404, code: 'not_found' });
    expect(await service.refused('PUT', '/api/sources')).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });
});

describe('contract 12: health and metrics', () => {
  test.each(['/health/live', '/health/ready'])('%s is 200, without a token', async (path) => {
    const { status, text } = await ask(service.url + path);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ status: 'ok' });
  });

  test('metrics are Prometheus text and count what happens', async () => {
    const receiver = await receive();
    const source = await service.source();
    const destination = await service.destination(source, receiver.url());
    await service.accept(source);
    await service.settled(destination, 1);
    const { status, text, headers } = await ask(`${service.url}/metrics`);
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    for (const line of text.split('\n').filter((each) => each !== ''))
      expect(line).toMatch(/^(#|[a-zA-Z_:][\w:]*(\{.*\})? [-+\w.]+( \d+)?$)/);
    expect(text).toMatch(/^millrace_deliveries_total\{.*state="processed".*\} \d+$/m);
    expect(text).not.toContain(source.writeKey);
  });
});
