import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAULTS } from '../core/fault.ts';
import type * as contract from './contract.ts';
import { openWorld, TOKEN, type World } from './test-server.ts';

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
  // In Latin-1: read as UTF-8, it would name another user.
  const latin = Buffer.from('{"name":"Café","type":"web"}', 'latin1');
  expect(await world.raw('/api/sources', latin, 'application/json')).toMatchObject({
    status: 400,
    body: { code: 'invalid_json', detail: 'The body is not valid UTF-8.' },
  });
  for (const key of ['"__proto__": {"a": 1}', '"constructor": {"prototype": {}}']) {
    const body = `{"name":"x","type":"web","deep":[{${key}}]}`;
    expect(await world.raw('/api/sources', body, 'application/json')).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', detail: expect.stringContaining('has a key that is taken in calls only') },
    });
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
    expect(await world.raw('/api/sources', '{"name":"x","type":"web"}', type)).toMatchObject({
      status: 415,
      body: { code: 'invalid_input', detail: 'Send the body as JSON, with Content-Type: application/json.' },
    });
  }
  expect(await world.raw('/api/sources', '', 'application/json')).toMatchObject({
    status: 400,
    body: { code: 'invalid_input', errors: [{ path: '', message: 'must be an object' }] },
  });
  expect(await world.call('POST', '/api/sources', {}, { 'content-encoding': 'gzip' })).toMatchObject({
    status: 415,
    body: { code: 'unsupported_encoding' },
  });
  const { id } = await world.source();
  const named = { 'content-type': 'application/json' };
  expect(await world.call('DELETE', `/api/sources/${id}`, undefined, named)).toMatchObject({ status: 204 });
  expect(await world.raw('/api/sources', 'null', 'application/json')).toMatchObject({
    status: 400,
    body: { code: 'invalid_input', errors: [{ path: '', message: 'must be an object' }] },
  });
});

test('the document has the refusals of a body that is not called JSON, and of an id that is too long', async () => {
  const { paths } = (await world.get('/api/openapi.json')).body as {
    paths: Record<string, Record<string, { requestBody?: object; responses: object }>>;
  };
  for (const [path, methods] of Object.entries(paths).filter(([name]) => name.startsWith('/api/'))) {
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      const said = [415, 414].map((status) => status in responses);
      expect(said, `${method} ${path}`).toEqual([requestBody !== undefined, path.includes('{')]);
    }
  }
  expect(await world.get(`/api/sources/${'x'.repeat(8_193)}`)).toMatchObject({ status: 414 });
});

test('the document has the null that a 202 without a thing answers', async () => {
  const { paths } = (await world.get('/api/openapi.json')).body as {
    paths: Record<string, { post?: { responses: Record<string, { content?: object }> } }>;
  };
  const { status, body } = await world.call('POST', '/api/regulations/compact');
  expect([status, body]).toEqual([202, null]);
  for (const path of ['/api/regulations/compact', '/api/people/{id}/identities']) {
    const content = { 'application/json': { schema: { type: 'null' } } };
    expect(paths[path]?.post?.responses['202']).toMatchObject({ content });
  }
});

test('every route under /api refuses a query parameter that it does not know', async () => {
  const { paths } = (await world.get('/api/openapi.json')).body as { paths: Record<string, object> };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  );
  const own = routes.filter(({ path }) => path.startsWith('/api/'));
  expect(own.length).toBeGreaterThan(80);
  const { id } = await world.source();
  for (const { path, method } of own) {
    const { body } = await world.call(
      method,
      `${path.replaceAll(/\{\w+\}/g, id)}?colour=red`,
      method === 'GET' ? undefined : {},
    );
    const errors = body['errors'] as contract.FieldError[] | undefined;
    // A body that is wrong is told first.
    const isTold =
      errors?.some((error) => error.path === 'colour') || (method !== 'GET' && body['code'] === 'invalid_input');
    expect(isTold, `${method} ${path}: ${JSON.stringify(body)}`).toBe(true);
  }
});

test('every route under /api that takes no body refuses one with fields, and does nothing', async () => {
  const { paths } = (await world.get('/api/openapi.json')).body as { paths: Record<string, Record<string, object>> };
  const bare = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, route]) => path.startsWith('/api/') && method !== 'get' && !('requestBody' in route))
      .map(([method]) => ({ path, method: method.toUpperCase() })),
  );
  expect(bare.length).toBeGreaterThan(15);
  const { id } = await world.source();
  for (const { path, method } of bare) {
    const answer = await world.call(method, path.replaceAll(/\{\w+\}/g, id), { dryRun: true });
    expect([answer.status, world.wrongPaths(answer)], `${method} ${path}`).toEqual([400, ['dryRun']]);
  }
  expect((await world.call('DELETE', `/api/sources/${id}`, {})).status).toBe(204);
});

test('a limit that is no whole number is refused', async () => {
  for (const limit of ['1.5', '2.0001']) {
    expect(world.wrongPaths(await world.get(`/api/sources?limit=${limit}`)), limit).toEqual(['limit']);
  }
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
  const head = await fetch(`${world.origin}/health/ready`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([503, ailing.headers.get('content-length')]);
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
  for (const route of world.routes) expect(paths, route.path).toHaveProperty([route.path, route.method.toLowerCase()]);
  for (const path of ['/v1/batch', '/v1/t', '/v1/pixel/{type}', '/v1/projects/{writeKey}/settings']) {
    expect(Object.keys(paths)).toContain(path);
  }
  const schemas = (body['components'] as { schemas: object }).schemas;
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
    expect(schemas).toHaveProperty([name ?? '']);
  expect(Object.keys(schemas)).not.toContainEqual(expect.stringMatching(/^(def-|Schema)\d/));
  expect(body['security']).toEqual([{ token: [] }, { session: [] }]);
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const [path, methods] of Object.entries(paths)) {
    if (!path.startsWith('/api/')) continue;
    for (const { responses } of Object.values(methods)) {
      for (const status of ['401', '503']) {
        expect(responses).toHaveProperty([status, 'content', 'application/problem+json']);
      }
    }
  }
  for (const code of Object.keys(FAULTS)) expect(text).toContain(code);
});

test.each(['/%6detrics', '/health/%6cive', '/%61pi/sources', '/api/s%6furces'])(
  '%s is no other way to a route',
  async (path) => {
    expect((await world.get(path)).status).toBe(404);
  },
);

test.each([
  ['GET', '/api/%73ources'],
  ['GET', '/api/%6eowhere'],
  ['POST', '/api/invites/%6cookup'],
])('without a sign-in, %s %s does not tell whether there is such a path', async (method, path) => {
  const answer = await fetch(world.origin + path, { method });
  const { status, headers } = answer;
  expect([status, headers.get('allow'), headers.get('cache-control')]).toEqual([401, null, 'no-store']);
});

test('ids in paths may be encoded', async () => {
  const source = await world.source();
  const encoded = source.id.replace('_', '%5F');
  expect((await world.get(`/api/sources/${encoded}`)).body['id']).toBe(source.id);
});

test.each(['/api/sources', '/api/nowhere', '/metrics', '/health/live', '/api/sources/%zz'])(
  '%s: no browser guesses a type',
  async (path) => {
    expect((await world.get(path)).headers.get('x-content-type-options')).toBe('nosniff');
  },
);

test('long answers are packed for clients that take it; refusals and streams of events never are', async () => {
  const ask = (path: string, accepted: string, init: RequestInit = {}): Promise<Response> => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'accept-encoding': accepted,
      'content-type': 'application/json',
    };
    return fetch(world.origin + path, { ...init, headers });
  };
  for (const accepted of ['gzip', 'br;q=1.0, GZIP;q=0.5', 'deflate,gzip']) {
    const packed = await ask('/api/openapi.json', accepted);
    expect([accepted, packed.headers.get('content-encoding')]).toEqual([accepted, 'gzip']);
    expect(packed.headers.get('vary')).toBe('accept-encoding');
    expect(await packed.json()).toHaveProperty('openapi');
  }
  for (const accepted of ['identity', 'gzip;q=0', 'gzip; q=0.00, br', 'xgzip']) {
    const plain = await ask('/api/openapi.json', accepted);
    expect([accepted, plain.headers.get('content-encoding')]).toEqual([accepted, null]);
    expect(await plain.json()).toHaveProperty('openapi');
  }
  const yaml = `sources:\n${'  - {name: 1}\n'.repeat(100)}`;
  const refused = await ask('/api/settings-file/apply', 'gzip', { method: 'POST', body: JSON.stringify({ yaml }) });
  expect([refused.status, refused.headers.get('content-encoding')]).toEqual([400, null]);
  expect(((await refused.json()) as { errors: unknown[] }).errors).toHaveLength(100);
  const unknown = await ask('/api/messages/no%2Fsuch%20id', 'gzip');
  expect([unknown.status, unknown.headers.get('content-encoding')]).toEqual([404, null]);
  expect(await unknown.json()).toMatchObject({ code: 'not_found' });
  expect(
    world
      .logged()
      .split('\n')
      .filter((line) => line.includes('already sent')),
  ).toHaveLength(0);
  const leaving = new AbortController();
  const stream = await ask('/api/watch?path=/api/openapi.json', 'gzip', { signal: leaving.signal });
  expect([stream.status, stream.headers.get('content-encoding')]).toEqual([200, null]);
  leaving.abort();
});

test('the tag of a packed answer is a weak one, which If-Match takes', async () => {
  const { id } = await world.destination();
  const path = `/api/destinations/${id}`;
  const url = `https://203.0.112.9/${'h'.repeat(1_500)}`;
  const packed = await world.call('PATCH', path, { settings: { webhooks: [{ url }] } });
  const tag = packed.headers.get('etag') ?? '';
  expect([packed.headers.get('content-encoding'), tag]).toEqual(['gzip', expect.stringMatching(/^W\/"\d+"$/)]);
  expect((await world.call('PATCH', path, { name: 'Other' }, { 'if-match': tag })).status).toBe(200);
});

test('a change of what calls are treated by is answered when the other nodes have heard of it, and nothing where they are not heard', async () => {
  const { others } = world;
  const { id } = await world.destination();
  const waitsFor = async (call: () => Promise<unknown>): Promise<number> => {
    const before = others.waits;
    await call();
    return others.waits - before;
  };
  expect(await waitsFor(() => world.call('PATCH', `/api/destinations/${id}`, { enabled: false }))).toBe(1);
  expect(await waitsFor(() => world.get(`/api/destinations/${id}`))).toBe(0);
  expect(await waitsFor(() => world.call('PATCH', `/api/destinations/${id}`, { name: 7 }))).toBe(0);
  expect(await waitsFor(() => world.call('POST', '/api/tokens', { name: 'CI', role: 'viewer' }))).toBe(0);
  others.areHeard = false;
  const answer = await world.get(`/api/destinations/${id}`);
  others.areHeard = true;
  expect(answer).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } });
  expect(answer.headers.get('retry-after')).toBe('5');
});
