import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { Source } from '../../packages/server/src/admin/contract.ts';
import { ask } from './kit/http.ts';
import { Raw } from './kit/raw.ts';
import { receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const service = sharedService({ MILLRACE_LOG_LEVEL: 'info' });

// After all that, a good call is accepted and delivered.
afterEach(async () => {
  const receiver = await receive();
  const source = await service.source();
  await service.destination(source, receiver.url());
  const messageId = await service.accept(source);
  const [arrival] = await receiver.waitFor(1);
  expect(arrival?.message['messageId']).toBe(messageId);
});

function nested(depth: number, open = '{"a":', close = '}'): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

interface Refusal {
  readonly success: boolean;
  readonly code: string;
  readonly message: string;
}

/** What a body is answered; a refusal must be a whole one. */
async function answered(
  source: Source,
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<string> {
  const { status, text } = await service.send(source, path, body, { headers });
  if (status === 200) return 'accepted';
  const refusal = JSON.parse(text) as Refusal;
  expect(refusal).toEqual({
    success: false,
    code: expect.stringMatching(/^[a-z_]+$/),
    message: expect.stringMatching(/\w+ \w+/),
  });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  return `${status} ${refusal.code}`;
}

describe('bad bodies get a clear error', () => {
  test.each([
    ['nothing', '', '400 invalid_json'],
    ['white space', ' \n', '400 invalid_json'],
    ['half of it', '{"userId":"u","event":"E"', '400 invalid_json'],
    ['a comment', '{/**/"userId":"u"}', '400 invalid_json'],
    ['single quotes', "{'userId':'u'}", '400 invalid_json'],
    ['NaN', '{"userId":"u","event":"E","properties":{"x":NaN}}', '400 invalid_json'],
    ['a raw control character', '{"userId":"u\u0000"}', '400 invalid_json'],
    ['XML', '<call/>', '400 invalid_json'],
    ['invalid UTF-8', Buffer.from('{"userId":"u","event":"\xff\xfe"}', 'latin1'), '400 invalid_json'],
    ['overlong UTF-8', Buffer.from([0x22, 0xc0, 0x80, 0x22]), '400 invalid_json'],
    ['UTF-16', Buffer.from('{"userId":"u"}', 'utf16le'), '400 invalid_json'],
    ['a number', '7', '400 call_not_object'],
    ['null', 'null', '400 call_not_object'],
    ['deep lists', `{"userId":"u","event":"E","properties":{"x":${nested(12_000, '[', ']')}}}`, '400 call_too_deep'],
    ['a large whole', 'x'.repeat(600_000), '413 too_large'],
  ] as const)('%s', async (_, body, expected) => {
    const source = await service.source();
    const answer = await answered(source, 'track', body);
    if (expected.startsWith('413')) expect(answer).toMatch(/^413 (call_)?too_large$/);
    else expect(answer).toBe(expected);
    expect(await answered(source, 'batch', body)).toMatch(/^4(00|13) /);
  });

  test('deep nesting is refused, or delivered and shown as any other call', async () => {
    const receiver = await receive();
    const source = await service.source();
    await service.destination(source, receiver.url());
    const wanted = [10, 100, 1_000, 2_000, 4_000, 6_000];
    const taken: string[] = [];
    for (const depth of wanted) {
      const messageId = `deep ${depth}`;
      const call = `{"userId":"u","event":"E","messageId":"${messageId}","properties":${nested(depth)}}`;
      const answer = await answered(source, 'track', call);
      if (answer === 'accepted') taken.push(messageId);
      else expect(answer).toMatch(/^400 call_too_deep$|^413 call_too_large$/);
    }
    expect(taken).toContain('deep 100');
    const arrivals = await receiver.waitFor(taken.length);
    expect(arrivals.map(({ message }) => message['messageId']).sort()).toEqual(taken.toSorted());
    for (const { text } of arrivals) expect(text).toBe(JSON.stringify(JSON.parse(text)));
    for (const messageId of taken) expect((await service.trace(messageId)).messageId).toBe(messageId);
  });

  test('wrong types in every field', async () => {
    const source = await service.source();
    const good: Record<string, unknown> = {
      userId: 'u',
      anonymousId: 'a',
      event: 'E',
      groupId: 'g',
      previousId: 'p',
      name: 'n',
      category: 'c',
      messageId: 'm',
      type: 'track',
      timestamp: '2020-01-01T00:00:00Z',
      originalTimestamp: '2020-01-01T00:00:00Z',
      sentAt: '2020-01-01T00:00:00Z',
      properties: {},
      traits: {},
      context: {},
      integrations: {},
      version: 1,
      channel: 's',
      _metadata: {},
    };
    for (const field of Object.keys(good)) {
      for (const value of [
        null,
        true,
        7,
        -0.5,
        '',
        'x',
        [],
        [[]],
        {},
        { a: 1 },
        { toString: 1 },
        { length: 2 ** 40 },
      ]) {
        const call = { ...good, messageId: `${field} ${JSON.stringify(value)}`.slice(0, 99), [field]: value };
        for (const type of ['identify', 'track', 'page', 'screen', 'group', 'alias']) {
          expect(await answered(source, type, JSON.stringify(call))).toMatch(/^(accepted|400 [a-z_]+)$/);
        }
      }
    }
  });

  test('huge keys, many keys, and keys with a meaning in JavaScript', async () => {
    const source = await service.source();
    const call = (properties: string): string => `{"userId":"u","event":"E","properties":${properties}}`;
    const many = `{${Array.from({ length: 3_000 }, (_, n) => `"k${n}":1`).join(',')}}`;
    const odd =
      '{"__proto__":{"__proto__":{"userId":1}},"constructor":{"prototype":{"x":1}},"hasOwnProperty":1,"then":1,"valueOf":{}}';
    expect(await answered(source, 'track', call(`{"${'k'.repeat(30_000)}":1}`))).toBe('accepted');
    expect(await answered(source, 'track', call(`{"${'k'.repeat(40_000)}":1}`))).toBe('413 call_too_large');
    expect(await answered(source, 'track', call(many))).toBe('accepted');
    expect(await answered(source, 'track', call(odd))).toBe('accepted');
    expect(await answered(source, 'batch', `{"__proto__":{"batch":[1]},"constructor":7}`)).toBe('400 empty_batch');
    const inBatch = `{"batch":[${call(odd).replace('{', '{"type":"track",')}],"context":${odd},"integrations":${odd}}`;
    expect(await answered(source, 'batch', inBatch)).toBe('accepted');
    const { status } = await service.api(
      'POST',
      '/api/sources',
      JSON.parse('{"__proto__":{"x":1},"name":"n","type":"web"}'),
    );
    expect(status).toBe(400);
  });

  test('bodies of random pieces', async () => {
    const source = await service.source();
    const json = fc.json({ maxDepth: 5 });
    const broken = fc.uint8Array({ maxLength: 200 });
    const bodies = [...fc.sample(json, 150), ...fc.sample(broken, 150)];
    for (const body of bodies) {
      expect(await answered(source, 'batch', body)).toMatch(/^4/);
      await answered(source, 'identify', body);
    }
  });
});

describe('bad encodings', () => {
  const GZIP = { 'Content-Encoding': 'gzip' };
  const body = gzipSync(JSON.stringify({ userId: 'u', event: 'E', properties: { x: 'y'.repeat(1_000) } }));

  test('truncated, damaged and no gzip', async () => {
    const source = await service.source();
    const damaged = Buffer.from(body);
    damaged.fill(0xff, 12, 30);
    for (const bytes of [
      body.subarray(0, body.length - 10),
      body.subarray(0, 5),
      damaged,
      Buffer.from('{"userId":"u"}'),
      deflateSync('{}'),
      Buffer.alloc(0),
    ]) {
      expect(await answered(source, 'track', bytes, GZIP)).toMatch(/^400 invalid_(gzip|json)$/);
    }
  });

  test('gzip bombs', async () => {
    const source = await service.source();
    const bomb = gzipSync(Buffer.alloc(200 * 1_048_576, 0x20));
    expect(bomb.length).toBeLessThan(500_000);
    for (const path of ['track', 'batch'])
      expect(await answered(source, path, bomb, GZIP)).toMatch(/^413 (call_)?too_large$/);
    const twice = gzipSync(bomb);
    expect(await answered(source, 'batch', twice, GZIP)).toMatch(/^4/);
    const many = Buffer.concat(Array.from({ length: 4 }, () => gzipSync(Buffer.alloc(400_000, 0x20))));
    expect(await answered(source, 'batch', many, GZIP)).toMatch(/^413 too_large$/);
    await Promise.all(Array.from({ length: 20 }, () => answered(source, 'batch', bomb, GZIP)));
  });

  test.each(['br', 'deflate', 'zstd', 'gzip, gzip', 'nonsense'])('%s is not understood', async (encoding) => {
    const source = await service.source();
    expect(await answered(source, 'track', '{"userId":"u","event":"E"}', { 'Content-Encoding': encoding })).toBe(
      '415 unsupported_encoding',
    );
  });
});

describe('bad HTTP', () => {
  const head = (line: string, ...headers: string[]): string => `${[line, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`;

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['TLS', Buffer.from('16030100f8010000f40303', 'hex')],
    ['bytes of no meaning', Buffer.from(Array.from({ length: 500 }, (_, n) => (n * 7) % 256))],
    ['another version', 'GET / HTTP/9.9\r\n\r\n'],
    ['a header without a colon', head('POST /v1/track HTTP/1.1', 'nonsense')],
    [
      'a head without an end',
      head('GET / HTTP/1.1', ...Array.from({ length: 2_000 }, (_, n) => `X-${n}: ${'x'.repeat(50)}`)),
    ],
    ['a path without an end', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`],
    ['two lengths', head('POST /v1/track HTTP/1.1', 'Content-Length: 5', 'Content-Length: 6')],
    ['a negative length', head('POST /v1/track HTTP/1.1', 'Content-Length: -1')],
    [
      'length and chunks',
      `${head('POST /v1/track HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['bad chunks', `${head('POST /v1/track HTTP/1.1', 'Transfer-Encoding: chunked')}zzz\r\nabc\r\n`],
  ] as const)('%s: an error and the end of the connection', async (_, bytes) => {
    const raw = new Raw(service.url);
    raw.write(bytes);
    await raw.closed;
    expect(raw.text).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
  });

  test.each([
    '/%',
    '/v1/%zz',
    '/v1/pixel/%E0%A4%A',
    '/api/messages/%00',
    '/api/sources/%2e%2e%2f',
    '//',
    '/v1/projects/%/settings',
    '/api/deliveries?x=%',
  ])('the path %s is answered, and not with 500', async (path) => {
    const { status } = await service.api('GET', path);
    expect(status).toBeGreaterThanOrEqual(200);
    expect(status).toBeLessThan(500);
  });

  test('a client that goes away in the middle of its body, again and again', async () => {
    const source = await service.source();
    const authorization = `Authorization: Basic ${Buffer.from(`${source.writeKey}:`).toString('base64')}`;
    for (let n = 0; n < 50; n++) {
      const raw = await new Raw(service.url).connected();
      raw.write(`${head('POST /v1/batch HTTP/1.1', authorization, 'Content-Length: 100000')}{"batch":[`);
      if (n % 2 === 0) raw.socket.resetAndDestroy();
      else raw.destroy();
      await raw.closed;
    }
    expect(await answered(source, 'track', JSON.stringify({ userId: 'u', event: 'After' }))).toBe('accepted');
  });

  test.each([
    ['a body that promises more than anybody reads', 'Content-Length: 10000000000', ''],
    ['chunks without an end', 'Transfer-Encoding: chunked', '10000\r\n'],
  ])('%s: 413, and the end of the connection', async (_, header, before) => {
    const raw = new Raw(service.url);
    raw.write(head('POST /v1/batch HTTP/1.1', header));
    const chunk = `${before}${'x'.repeat(0x10000)}${before && '\r\n'}`;
    const more = (): void => {
      while (!raw.socket.destroyed && raw.text === '' && raw.socket.write(chunk));
    };
    raw.socket.on('drain', more);
    more();
    // A client that goes on sending may lose the answer to the reset that follows it.
    expect(await raw.until(() => raw.text !== '')).toMatch(/^(HTTP\/1\.1 413 |$)/);
    await raw.closed;
  });

  test('one connection, many requests at once (pipelining)', async () => {
    const source = await service.source();
    const authorization = `Authorization: Basic ${Buffer.from(`${source.writeKey}:`).toString('base64')}`;
    const body = '{"userId":"u","event":"E"}';
    const raw = new Raw(service.url);
    raw.write(`${head('POST /v1/track HTTP/1.1', authorization, `Content-Length: ${body.length}`)}${body}`.repeat(50));
    const answers = (): number => raw.text.match(/\{"success":true\}/g)?.length ?? 0;
    await raw.until(() => answers() === 50);
    expect(raw.text.match(/HTTP\/1\.1 200 /g)).toHaveLength(50);
  });
});

test('nothing of all this put the service in a bad state', async () => {
  for (const path of ['/health/live', '/health/ready']) expect((await ask(service.url + path)).status).toBe(200);
});
