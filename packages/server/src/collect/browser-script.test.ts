import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createServer } from '../http/server.ts';
import { browserScript } from './browser-script.ts';
import { collectionUrl } from './paths.ts';
import { SOURCE } from './test-server.ts';

const URL = `/analytics.js/v1/${SOURCE.writeKey}/analytics.min.js`;
const SCRIPT = 'run()';

async function serve({ isBuilt = true } = {}): Promise<FastifyInstance> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-script-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (isBuilt) {
    writeFileSync(join(folder, 'analytics.min.js'), SCRIPT);
    writeFileSync(join(folder, 'analytics.min.js.gz'), gzipSync(SCRIPT));
    writeFileSync(join(folder, 'secret.txt'), 'not the script');
  }
  const app = createServer({ logger: pino({ level: 'silent' }), trustProxy: false, urlOf: collectionUrl });
  const findSource = (key: string) => (key === SOURCE.writeKey ? SOURCE : undefined);
  await app.register(browserScript, { folder, findSource });
  onTestFinished(() => app.close());
  return app;
}

test('any page may load the script, and keeps it for five minutes', async () => {
  const app = await serve();
  const { statusCode, headers, body } = await app.inject({ url: URL, headers: { origin: 'https://shop.example' } });
  expect([statusCode, body]).toEqual([200, SCRIPT]);
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
  });
  expect(headers).not.toHaveProperty('access-control-allow-credentials');
  const again = await app.inject({ url: URL, headers: { 'if-none-match': headers.etag as string } });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

test('it is sent compressed to who takes that', async () => {
  const app = await serve();
  const { headers, rawPayload } = await app.inject({ url: URL, headers: { 'accept-encoding': 'gzip, deflate' } });
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: expect.stringMatching(/accept-encoding/i) });
  expect(gunzipSync(rawPayload).toString()).toBe(SCRIPT);
});

test.each([
  ['an unknown write key', '/analytics.js/v1/nobodys/analytics.min.js', 'No source has this write key.'],
  ['no write key', '/analytics.js/v1//analytics.min.js', 'There is nothing at this path.'],
  ['another file', `/analytics.js/v1/${SOURCE.writeKey}/secret.txt`, 'There is nothing at this path.'],
])('%s is answered 404, in words', async (_, url, message) => {
  const app = await serve();
  const { statusCode, headers, json } = await app.inject({ url });
  expect([statusCode, json()]).toEqual([404, { success: false, code: 'not_found', message }]);
  expect(headers).not.toHaveProperty('cache-control');
});

test('so is a script that is not built', async () => {
  const app = await serve({ isBuilt: false });
  const { statusCode, json } = await app.inject({ url: URL });
  expect([statusCode, json()]).toMatchObject([404, { code: 'not_found' }]);
});
