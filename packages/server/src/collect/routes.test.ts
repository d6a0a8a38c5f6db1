import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CALL_TYPES } from '../core/event.ts';
import { Fault } from '../core/fault.ts';
import { SOURCE, startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer([SOURCE, { ...SOURCE, id: 's3', writeKey: 'wk_off', enabled: false }]);
});
afterEach(() => server.close());

const AUTHORIZATION = `Basic ${Buffer.from('wk_test:').toString('base64')}`;
const CALL = { type: 'track', event: 'E', userId: 'u', groupId: 'g', previousId: 'p' };

type Body = string | Uint8Array<ArrayBuffer> | object;

function post(path: string, body: Body, headers: Record<string, string> = {}): Promise<Response> {
  const bytes = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  return fetch(`${server.url}${path}`, {
    method: 'POST',
    body: bytes,
    headers: { authorization: AUTHORIZATION, ...headers },
  });
}

async function answerOf(response: Response): Promise<{ status: number; body: unknown }> {
  return { status: response.status, body: await response.json() };
}

const refused = (code: string): object => ({ success: false, code, message: expect.stringMatching(/\w/) });

describe('paths', () => {
  test.each(
    CALL_TYPES.flatMap((type) => [
      [`/v1/${type}`, type],
      [`/v1/${type.charAt(0)}`, type],
    ]),
  )('POST %s takes a %s call', async (path, type) => {
    expect(await answerOf(await post(path, { ...CALL, type: 'overruled' }))).toEqual({
      status: 200,
      body: { success: true },
    });
    expect(server.bodies()).toMatchObject([{ type }]);
  });

  test.each(['/v1/batch', '/v1/b', '/v1/import'])('POST %s takes a batch', async (path) => {
    const answer = await answerOf(await post(path, { batch: [CALL, { type: 'page' }, { ...CALL, type: 'alias' }] }));
    expect(answer).toEqual({
      status: 200,
      body: { success: true, rejected: [{ index: 1, code: 'no_user_or_anonymous_id', message: expect.any(String) }] },
    });
    expect(server.bodies()).toMatchObject([{ type: 'track' }, { type: 'alias' }]);
  });

  test.each([
    ['GET', '/v1/track', 405, 'method_not_allowed', 'OPTIONS, POST'],
    ['PUT', '/v1/batch', 405, 'method_not_allowed', 'OPTIONS, POST'],
    ['POST', '/v1/pixel/track', 405, 'method_not_allowed', 'GET'],
    ['POST', '/v1/nothing', 404, 'not_found', null],
    ['POST', '/v1/constructor', 404, 'not_found', null],
    ['GET', '/', 404, 'not_found', null],
  ])('%s %s: %d', async (method, path, status, code, allow) => {
    const response = await fetch(`${server.url}${path}`, { method });
    expect(response.headers.get('allow')).toBe(allow);
    expect(await answerOf(response)).toEqual({ status, body: refused(code) });
  });
});

describe('bodies', () => {
  test('a batch that is sent to the path of a call is told where to go', async () => {
    const { status, body } = await answerOf(await post('/v1/track', { batch: [CALL] }));
    expect([status, body]).toEqual([400, refused('no_user_or_anonymous_id')]);
    expect(body).toMatchObject({ message: expect.stringContaining('goes to /v1/batch') });
  });

  test.each([
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'nonsense',
    ';;;',
    'application/json; charset=latin1',
  ])('are JSON under Content-Type %s', async (type) => {
    expect((await post('/v1/track', CALL, { 'content-type': type })).status).toBe(200);
  });

  test('are JSON without a Content-Type, and may come in pieces', async () => {
    const pieces = ReadableStream.from(['{"event":"Ü', 'n", "userId"', ':"u"}'].map((piece) => Buffer.from(piece)));
    const response = await fetch(`${server.url}/v1/track`, {
      method: 'POST',
      body: pieces,
      duplex: 'half',
      headers: { authorization: AUTHORIZATION },
    });
    expect(response.status).toBe(200);
    expect(server.bodies()).toMatchObject([{ event: 'Ün' }]);
  });

  test('may be gzipped', async () => {
    expect((await post('/v1/track', gzipSync(JSON.stringify(CALL)), { 'content-encoding': 'gzip' })).status).toBe(200);
    expect((await post('/v1/track', gzipSync(JSON.stringify(CALL)))).status).toBe(200);
    expect(server.events).toHaveLength(2);
  });

  const deep = '['.repeat(15_000) + ']'.repeat(15_000);
  test.each<[name: string, path: string, body: Body, headers: Record<string, string>, status: number, code: string]>([
    ['malformed JSON', '/v1/track', '{"event":', {}, 400, 'invalid_json'],
    ['no body', '/v1/track', '', {}, 400, 'invalid_json'],
    ['invalid UTF-8', '/v1/track', Buffer.from([0x7b, 0xff, 0x7d]), {}, 400, 'invalid_json'],
    ['a call that is no object', '/v1/track', '[]', {}, 400, 'call_not_object'],
    ['deep nesting', '/v1/track', `{"event":"E","userId":"u","properties":{"a":${deep}}}`, {}, 400, 'call_too_deep'],
    ['a huge key', '/v1/track', { ...CALL, properties: { ['k'.repeat(40_000)]: 1 } }, {}, 413, 'call_too_large'],
    ['a call of one byte too many', '/v1/track', JSON.stringify(CALL).padEnd(32_769), {}, 413, 'call_too_large'],
    [
      'a batch of one byte too many',
      '/v1/batch',
      JSON.stringify({ batch: [CALL] }).padEnd(512_001),
      {},
      413,
      'too_large',
    ],
    ['a call far too large', '/v1/track', ' '.repeat(3_000_000), {}, 413, 'call_too_large'],
    ['2,501 calls', '/v1/batch', { batch: Array.from({ length: 2501 }, () => CALL) }, {}, 413, 'too_large'],
    [
      'truncated gzip',
      '/v1/batch',
      gzipSync('{"batch":[]}').subarray(0, 15),
      { 'content-encoding': 'gzip' },
      400,
      'invalid_gzip',
    ],
    ['a gzip bomb', '/v1/batch', gzipSync(Buffer.alloc(100_000_000)), { 'content-encoding': 'gzip' }, 413, 'too_large'],
    ['an unknown coding', '/v1/batch', '{}', { 'content-encoding': 'br' }, 415, 'unsupported_encoding'],
    ['no batch', '/v1/batch', '{}', {}, 400, 'empty_batch'],
    ['no key', '/v1/track', CALL, { authorization: '' }, 401, 'missing_write_key'],
    ['an unknown key', '/v1/track', CALL, { authorization: `Basic ${btoa('nope:')}` }, 401, 'unknown_write_key'],
    ['a source that is off', '/v1/track', CALL, { authorization: `Basic ${btoa('wk_off:')}` }, 403, 'source_disabled'],
    ['an id too long', '/v1/track', { ...CALL, messageId: 'x'.repeat(101) }, {}, 400, 'message_id_too_long'],
    ['no event', '/v1/track', { userId: 'u' }, {}, 400, 'event_required'],
  ])('with %s are refused', async (_name, path, body, headers, status, code) => {
    expect(await answerOf(await post(path, body, headers))).toEqual({ status, body: refused(code) });
    expect(server.events).toEqual([]);
    expect((await post('/v1/track', CALL)).status).toBe(200);
  });

  test('fill the limits exactly', async () => {
    expect((await post('/v1/track', JSON.stringify(CALL).padEnd(32_768))).status).toBe(200);
    expect((await post('/v1/batch', JSON.stringify({ batch: [CALL] }).padEnd(512_000))).status).toBe(200);
    const full = { batch: Array.from({ length: 2500 }, () => CALL) };
    expect(await answerOf(await post('/v1/batch', full))).toEqual({ status: 200, body: { success: true } });
  });

  test('fill the limits exactly when packing makes them larger', async () => {
    const gzip = (body: object, bytes: number): Buffer<ArrayBuffer> =>
      gzipSync(JSON.stringify(body).padEnd(bytes), { level: 0, memLevel: 1 });
    expect((await post('/v1/track', gzip(CALL, 32_768))).status).toBe(200);
    expect(gzip({ batch: [CALL] }, 512_000).length).toBe(512_333);
    expect((await post('/v1/batch', gzip({ batch: [CALL] }, 512_000))).status).toBe(200);
    const over = await post('/v1/batch', gzip({ batch: [CALL] }, 512_001));
    expect(await answerOf(over)).toEqual({ status: 413, body: refused('too_large') });
  });

  test('a hostile key is data', async () => {
    expect(
      (await post('/v1/track', '{"event":"E","userId":"u","__proto__":{"x":1},"properties":{"__proto__":{"x":2}}}'))
        .status,
    ).toBe(200);
    expect(Buffer.from(server.events[0]?.body ?? []).toString()).toContain('"properties":{"__proto__":{"x":2}}');
    expect(server.events[0]?.unsent).toBe('{"__proto__":{"x":1}}');
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  test('a body that never ends is given up on', async () => {
    const chunk = Buffer.alloc(256 * 1024, ' ');
    let isOver = false;
    const endless = ReadableStream.from(
      (async function* () {
        while (!isOver) {
          yield chunk;
          // fetch may go on reading when the connection is gone: without a pause no other task would get a turn then.
          await setImmediate();
        }
      })(),
    );
    const answer = fetch(`${server.url}/v1/batch`, {
      method: 'POST',
      body: endless,
      duplex: 'half',
      headers: { authorization: AUTHORIZATION },
    });
    // The client may see the answer or the end of the connection first; it never sees a success.
    expect(
      await answer.then(
        ({ status }) => status,
        () => 413,
      ),
    ).toBe(413);
    isOver = true;
    expect((await post('/v1/track', CALL)).status).toBe(200);
  });
});

test('the write key may stand in the body', async () => {
  const body = JSON.stringify({ ...CALL, writeKey: 'wk_test' });
  expect((await fetch(`${server.url}/v1/track`, { method: 'POST', body })).status).toBe(200);
  const batch = JSON.stringify({ batch: [CALL], writeKey: 'wk_test' });
  expect((await fetch(`${server.url}/v1/batch`, { method: 'POST', body: batch })).status).toBe(200);
});

describe('when storage refuses', () => {
  test.each(['overloaded', 'storage_full', 'storage_unavailable'] as const)(
    '%s is 503 with Retry-After',
    async (code) => {
      server.append = () => Promise.reject(new Fault(code, 'later', { retryAfter: 7 }));
      const response = await post('/v1/batch', { batch: [CALL] });
      expect(response.headers.get('retry-after')).toBe('7');
      expect(await answerOf(response)).toEqual({ status: 503, body: refused(code) });
      server.append = () => Promise.reject(new Fault(code, 'later'));
      expect((await post('/v1/track', CALL)).headers.get('retry-after')).toBe('1');
    },
  );

  test('a bug is 500 and says nothing', async () => {
    server.append = () => Promise.reject(new TypeError('secret detail'));
    const answer = await answerOf(await post('/v1/track', CALL));
    expect(answer).toEqual({ status: 500, body: refused('internal') });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });
});

describe('scripts of any origin', () => {
  test('may read answers and errors', async () => {
    const origin = 'https://shop.example';
    for (const body of [CALL, '{']) {
      const { headers } = await post('/v1/track', body, { origin });
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('access-control-allow-credentials')).toBe('true');
      expect(headers.get('vary')).toBe('Origin');
    }
    expect((await post('/v1/track', CALL)).headers.get('access-control-allow-origin')).toBe('*');
  });

  test('see how long they are asked to wait', async () => {
    server.append = () => Promise.reject(new Fault('overloaded', 'later', { retryAfter: 7 }));
    const { headers } = await post('/v1/track', CALL, { origin: 'https://shop.example' });
    expect(headers.get('access-control-expose-headers')).toBe('retry-after');
    expect(headers.get('retry-after')).toBe('7');
  });

  test('may send any header', async () => {
    const response = await fetch(`${server.url}/v1/batch`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://x.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-odd, sentat',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-headers')).toBe('x-odd, sentat');
    expect(response.headers.get('access-control-max-age')).toBe('86400');
  });
});

describe('the pixel', () => {
  const pixel = (query: string, type = 'track'): Promise<Response> => fetch(`${server.url}/v1/pixel/${type}?${query}`);

  async function expectGif(response: Response): Promise<void> {
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/gif');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(0, 6)
        .toString(),
    ).toBe('GIF89a');
  }

  test('takes a call from its query', async () => {
    const data = Buffer.from(JSON.stringify({ ...CALL, writeKey: 'wk_test' })).toString('base64');
    await expectGif(await pixel(`data=${encodeURIComponent(data)}`));
    await expectGif(await pixel('writeKey=wk_test&userId=1&event=Seen&properties.plan=pro&integrations.All=false'));
    await expectGif(await pixel('writeKey=wk_test&userId=1', 'p'));
    expect(server.bodies()).toMatchObject([
      { type: 'track', event: 'E' },
      { type: 'track', userId: '1', event: 'Seen', properties: { plan: 'pro' } },
      { type: 'page' },
    ]);
    expect(server.events[1]?.integrations).toBe('{"All":false}');
  });

  test('answers 200 whatever happens, and counts what it refused', async () => {
    await expectGif(await pixel('data=%%%&writeKey=wk_test'));
    await expectGif(await pixel('writeKey=wk_test&userId=1'));
    await expectGif(await pixel('writeKey=wk_test&userId=1', 'nonsense'));
    await expectGif(await pixel('userId=1'));
    await expectGif(await fetch(`${server.url}/v1/pixel/track`));
    server.append = () => Promise.reject(new Fault('storage_full', 'later'));
    await expectGif(await pixel('writeKey=wk_test&userId=1&event=E'));
    expect(server.events).toEqual([]);
    const codes = server.rejections.recent('s1').map(({ code }) => code);
    expect(codes).toEqual(['storage_full', 'invalid_type', 'event_required', 'invalid_json']);
  });
});

describe('paths as libraries write them', () => {
  test.each(['/v1/track/', '//v1/track', '//v1//t/'])('a call to %s is taken', async (path) => {
    expect(await answerOf(await post(path, CALL))).toMatchObject({ status: 200 });
    expect(server.events).toHaveLength(1);
  });

  test.each(['/v1/import/', '//v1/import/', '/v1/batch//', '/v1/b/'])('a batch to %s is taken', async (path) => {
    expect(await answerOf(await post(path, { batch: [CALL, CALL] }))).toMatchObject({
      status: 200,
    });
    expect(server.events).toHaveLength(2);
  });

  test('a beacon of RudderStack has its key in the address', async () => {
    const batch = JSON.stringify({ batch: [CALL] });
    const send = (search: string): Promise<Response> =>
      fetch(`${server.url}/beacon/v1/batch${search}`, {
        method: 'POST',
        body: batch,
        headers: { 'content-type': 'text/plain;charset=UTF-8' },
      });
    expect((await send('?writeKey=wk_test')).status).toBe(200);
    expect((await send('/?writeKey=wk_test')).status).toBe(200);
    expect(server.events).toHaveLength(2);
    expect((await send('?writeKey=nope')).status).toBe(401);
    expect((await send('')).status).toBe(401);
  });
});

describe('settings of browser libraries', () => {
  test('name the host they were asked at, and the protocol a trusted proxy saw', async () => {
    const settings = async (url: string): Promise<unknown> => {
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'events.example' };
      return (await fetch(`${url}/v1/projects/wk_test/settings`, { headers })).json();
    };
    const direct = await settings(server.url);
    expect(direct).toMatchObject({ integrations: { 'Segment.io': { apiHost: `127.0.0.1:${server.port}/v1` } } });
    // A proxy that is not believed says https: libraries keep their default, which is that.
    expect(JSON.stringify(direct)).not.toContain('"protocol"');
    const plain = await fetch(`${server.url}/v1/projects/wk_test/settings`);
    expect(await plain.json()).toMatchObject({ integrations: { 'Segment.io': { protocol: 'http' } } });
    const behind = await startTestServer([SOURCE], { trustProxy: ['127.0.0.1'] });
    expect(await settings(behind.url)).toMatchObject({
      integrations: { 'Segment.io': { apiHost: 'events.example/v1', protocol: 'https' } },
    });
    await behind.close();
  });

  test('are refused for a key that no source has', async () => {
    for (const path of ['/v1/projects/nope/settings', '/sourceConfig?writeKey=nope', '/sourceConfig/']) {
      expect(await answerOf(await fetch(`${server.url}${path}`))).toEqual({
        status: 401,
        body: refused('unknown_write_key'),
      });
    }
  });
});

test('the address is the proxy’s word only when the proxy is trusted', async () => {
  const sources = [{ ...SOURCE, type: 'web' as const }];
  for (const [trustProxy, ip, told = '203.0.113.9'] of [
    [false, '127.0.0.1'],
    [['127.0.0.1'], '203.0.113.9'],
    [['127.0.0.1'], '203.0.113.9', '203.0.113.9:5678'],
    [['127.0.0.1'], '2001:db8::1', '[2001:db8::1]:443'],
    [['127.0.0.1'], '127.0.0.1', 'unknown'],
  ] as const) {
    const web = await startTestServer(sources, { trustProxy: trustProxy === false ? false : [...trustProxy] });
    await fetch(`${web.url}/v1/track`, {
      method: 'POST',
      body: JSON.stringify(CALL),
      headers: { authorization: AUTHORIZATION, 'x-forwarded-for': told },
    });
    expect(web.bodies()).toMatchObject([{ context: { ip } }]);
    await web.close();
  }
});
