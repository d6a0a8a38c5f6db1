import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { boundBodies } from '../admin/body-bounds.ts';
import { Fault } from '../core/fault.ts';
import { InvalidInput } from './problem.ts';
import { createServer } from './server.ts';

let app: ReturnType<typeof createServer>;
let logged: string[];

beforeEach(() => {
  logged = [];
  app = createServer({ logger: pino({ level: 'error' }, { write: (line) => logged.push(line) }), trustProxy: false });
  app.register(async (scope) => {
    boundBodies(scope);
    scope.post('/api/things', async () => ({ ok: true }));
  });
  app.get('/api/things/:id', async ({ params }) => {
    const { id } = params as { id: string };
    if (id === 'taken') throw new Fault('conflict', 'It is taken.', { retryAfter: 9 });
    if (id === 'wrong') throw new InvalidInput([{ path: 'settings.urls.0.url', message: 'is not allowed' }]);
    throw new TypeError('the password is hunter2');
  });
});
afterEach(() => app.close());

async function problem(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: string | object): Promise<object> {
  const headers = typeof payload === 'string' ? { 'content-type': 'application/json' } : {};
  const response = await app.inject({ method, url, ...(payload === undefined ? {} : { payload, headers }) });
  expect(response.headers['content-type']).toBe('application/problem+json');
  const answer = response.json<{ status: number }>();
  expect(answer.status).toBe(response.statusCode);
  return answer;
}

test('a fault says its code', async () => {
  expect(await problem('GET', '/api/things/taken')).toEqual({
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    detail: 'It is taken.',
    code: 'conflict',
  });
  expect((await app.inject('/api/things/taken')).headers['retry-after']).toBe('9');
});

test('refused input names each wrong field', async () => {
  expect(await problem('GET', '/api/things/wrong')).toMatchObject({
    status: 400,
    code: 'invalid_input',
    errors: [{ path: 'settings.urls.0.url', message: 'is not allowed' }],
  });
});

test("a route whose schema can't be compiled is no route", async () => {
  app.post('/api/others', { schema: { body: { type: 'object' } } }, async () => ({ ok: true }));
  await expect(app.ready()).rejects.toThrow('no compiler was set for it');
});

test('what the framework refuses is a problem too', async () => {
  expect(await problem('POST', '/api/things', '{')).toMatchObject({ status: 400, code: 'invalid_json' });
  expect(await problem('POST', '/api/things', `{"name":"${'x'.repeat(2_000_000)}"}`)).toMatchObject({
    status: 413,
    code: 'too_large',
  });
  expect(await problem('GET', '/api/%zz')).toMatchObject({ status: 400, code: 'invalid_input' });
});

test('a path outside /api that can not be decoded is refused as calls are', async () => {
  const response = await app.inject({ method: 'POST', url: '/v1/%zz' });
  expect([response.statusCode, response.json()]).toEqual([
    400,
    { success: false, code: 'invalid_input', message: expect.stringContaining('/v1/%zz') },
  ]);
});

test('a bug is 500, logged, and says nothing', async () => {
  const answer = await problem('GET', '/api/things/bug');
  expect(answer).toMatchObject({ status: 500, code: 'internal' });
  expect(JSON.stringify(answer)).not.toContain('hunter2');
  expect(logged.join('')).toContain('hunter2');
});

test('a catch-all has no methods of its own to offer', async () => {
  app.get('/api/files/*', async () => 'file');
  expect((await app.inject('/api/files/a/b')).body).toBe('file');
  expect(await problem('POST', '/api/files/a/b')).toMatchObject({ status: 404 });
});

test('unknown paths and methods under /api are problems', async () => {
  expect(await problem('GET', '/api/nothing')).toMatchObject({ status: 404, code: 'not_found' });
  expect(await problem('GET', '/api')).toMatchObject({ status: 404, code: 'not_found' });
  expect(await problem('DELETE', '/api/things')).toMatchObject({ status: 405, code: 'method_not_allowed' });
  expect((await app.inject({ method: 'DELETE', url: '/api/things/5?x=1' })).headers['allow']).toBe('GET');
  expect((await app.inject('/elsewhere')).json()).toMatchObject({ success: false, code: 'not_found' });
});
