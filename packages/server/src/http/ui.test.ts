import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createServer } from './server.ts';
import { uiRoutes } from './ui.ts';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const NOT_FOUND = { success: false, code: 'not_found', message: 'There is nothing at this path.' };

/** A server with a build of two files, and one route of an API. */
async function serve({ built = true } = {}): Promise<FastifyInstance> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-ui-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (built) {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<meta name="style-nonce" content="%STYLE-NONCE%" /><p>The page');
    writeFileSync(join(folder, 'assets', 'index-a1b2.js'), 'run()');
    writeFileSync(join(folder, 'assets', 'index-a1b2.js.br'), 'compressed');
    writeFileSync(join(folder, 'secret.txt'), 'not an asset');
  }
  const app = createServer({ logger: pino({ level: 'silent' }), trustProxy: false });
  app.post('/v1/track', async () => ({}));
  await app.register(uiRoutes, { folder });
  onTestFinished(() => app.close());
  return app;
}

test.each(['/', '/sources', '/sources/src_1', '/api-docs', '/v1x', '/messages/a%2Fb'])(
  'a browser that opens %s gets the page, and asks again next time',
  async (url) => {
    const app = await serve();
    const { statusCode, headers, body } = await app.inject({ url, headers: HTML });
    expect(statusCode).toBe(200);
    expect(body).toContain('The page');
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
  },
);

test.each([
  '/api',
  '/api/x',
  '/v1',
  '/v1/x',
  '/health/x',
  '/metrics/x',
  '/sourceConfig/x',
  '/analytics.js/x',
  '/assets/none.js',
])('%s is no page, not even for a browser', async (url) => {
  const app = await serve();
  const { statusCode, headers } = await app.inject({ url, headers: HTML });
  expect(statusCode).toBe(404);
  expect(headers['content-type']).toContain('json');
});

test('a client that asks for no HTML is answered as if there were no interface', async () => {
  const app = await serve();
  for (const [method, url] of [
    ['GET', '/sources'],
    ['POST', '/'],
    ['POST', '/sources'],
  ] as const) {
    const answer = await app.inject({ method, url, headers: { accept: '*/*' } });
    expect([answer.statusCode, answer.json()]).toEqual([404, NOT_FOUND]);
  }
  const wrongMethod = await app.inject({ url: '/v1/track', headers: HTML });
  expect([wrongMethod.statusCode, wrongMethod.headers.allow]).toEqual([405, 'POST']);
});

test('a client that asks for / by hand is told where the interface is', async () => {
  const app = await serve();
  const { statusCode, headers, body } = await app.inject({
    url: '/',
    headers: { accept: '*/*', host: 'events.example' },
  });
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(body).toContain('http://events.example/v1/track');
});

test('every page has a nonce of its own, and a policy that allows nothing else inline and no other host', async () => {
  const app = await serve();
  const pages = await Promise.all([1, 2].map(() => app.inject({ url: '/', headers: HTML })));
  const nonces = pages.map(({ body }) => /content="(\w{16,})"/.exec(body)?.[1]);
  expect(new Set(nonces).size).toBe(2);
  const policy = String(pages[0]?.headers['content-security-policy']);
  expect(policy).toContain("default-src 'self';");
  expect(policy).toContain(`style-src 'self' 'nonce-${nonces[0]}'`);
  expect(policy).not.toMatch(/unsafe|https?:|data:|\*/);
  expect(pages[0]?.headers['x-frame-options']).toBe('DENY');
});

test('an asset is kept for good, compressed where it can be, and nothing lies beside them', async () => {
  const app = await serve();
  const asset = await app.inject({ url: '/assets/index-a1b2.js' });
  expect(asset.body).toBe('run()');
  expect(asset.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  });
  expect(asset.headers['content-type']).toContain('javascript');
  const small = await app.inject({ url: '/assets/index-a1b2.js', headers: { 'accept-encoding': 'br' } });
  expect([small.headers['content-encoding'], small.body]).toEqual(['br', 'compressed']);
  for (const url of ['/assets/../secret.txt', '/assets/%2e%2e/secret.txt', '/assets/..%2fsecret.txt']) {
    expect((await app.inject({ url })).body).not.toContain('not an asset');
  }
});

test('where nothing is built the page says how to build it', async () => {
  const app = await serve({ built: false });
  const { statusCode, body } = await app.inject({ url: '/', headers: HTML });
  expect(statusCode).toBe(503);
  expect(body).toContain('npm run build -w packages/ui');
});
