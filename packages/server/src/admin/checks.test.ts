import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { signer } from '../deliver/signature.ts';
import type * as contract from './contract.ts';
import { openWorld, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

async function listening(): Promise<Server> {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return server;
}

const check = async (body: object): Promise<contract.UrlCheck> =>
  (await world.call('POST', '/api/url-checks', body)).body as unknown as contract.UrlCheck;

test('a URL is checked step by step, and ends with one real message', async () => {
  const { port } = (await listening()).address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/hook`;
  const whole = await check({ url, sharedSecret: 'secret-of-a-check' });
  expect(whole.steps.map(({ name, ok }) => [name, ok])).toEqual(
    ['url', 'headers', 'address', 'connect', 'message'].map((name) => [name, true]),
  );
  expect(whole).toMatchObject({ ok: true, result: { url, status: 200, class: 'success' } });
  expect(whole.steps.at(-1)?.message).toBe('Answered 200.');
  const dry = await check({ url, send: false });
  expect(dry).toMatchObject({ ok: true, result: null });
  expect(dry.steps.map(({ name }) => name)).not.toContain('message');
  const looked = await check({ url, connect: false });
  expect(looked.steps.map(({ name }) => name)).toEqual(['url', 'headers', 'address']);
  // It is there, and the guard of destinations refuses its address.
  expect(looked).toMatchObject({ ok: true, canBeSaved: false, result: null });
  expect(world.settings.destinations()).toEqual([]);
  expect(world.logged()).not.toContain('secret-of-a-check');
});

test.each([
  [{ url: 'nowhere' }, 'url', 'url'],
  [{ url: 'http://127.0.0.1:9/', headers: { 'X-Team': 'a', Host: 'b' } }, 'headers', 'headers.Host'],
])('%j: the step that fails names the field', async (body, step, field) => {
  const { ok, steps, result } = await check(body);
  expect([ok, result]).toEqual([false, null]);
  expect(steps.at(-1)).toMatchObject({ name: step, ok: false, field });
});

test('a name that does not resolve is told, and can be saved', async () => {
  const url = 'https://nowhere.invalid/hook';
  expect(await check({ url, connect: false })).toMatchObject({ ok: false, canBeSaved: true, steps: { length: 3 } });
});

test('a check without a URL is refused', async () => {
  const answer = await world.call('POST', '/api/url-checks', { headers: {} });
  expect(answer.status).toBe(400);
  expect(world.wrongPaths(answer)).toEqual(['url']);
});

test('a signature is compared, and nothing of it is logged', async () => {
  const secret = 'never-in-the-log';
  const body = '{"body":"never-in-the-log-either"}';
  const expected = signer(secret)(Buffer.from(body));
  const verdict = await world.call('POST', '/api/signature-checks', { secret, body, signature: expected });
  expect(verdict.body).toEqual({ scheme: 'segment', equal: true, expected, hint: null });
  const wrong = await world.call('POST', '/api/signature-checks', { secret, body, signature: expected.toUpperCase() });
  expect(wrong.body).toMatchObject({ equal: false, expected, hint: expect.stringContaining('upper case') });
  const refused = await world.call('POST', '/api/signature-checks', { secret: '', body, signature: '' });
  expect(world.wrongPaths(refused)).toEqual(['secret']);
  expect(world.logged()).not.toContain('never-in-the-log');
});
