import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Destination, NewSource, Source } from '../../packages/server/src/admin/contract.ts';
import { ask } from './kit/http.ts';
import { type Receiver, receive } from './kit/receiver.ts';
import { sharedService, startService } from './kit/service.ts';

const service = sharedService();

interface World {
  readonly receiver: Receiver;
  readonly source: Source;
  readonly destination: Destination;
}

async function world(wish: Partial<NewSource> = {}): Promise<World> {
  const receiver = await receive();
  const source = await service.source(wish);
  return { receiver, source, destination: await service.destination(source, receiver.url()) };
}

const CALLS = {
  identify: { userId: 'u1', traits: { plan: 'pro' } },
  track: { userId: 'u1', event: 'E' },
  page: { userId: 'u1', name: 'Home' },
  screen: { userId: 'u1', name: 'Main' },
  group: { userId: 'u1', groupId: 'g1' },
  alias: { userId: 'u1', previousId: 'old' },
} as const;
const KINDS = Object.entries(CALLS);

describe('contract 8.1: routes', () => {
  test.each(
    KINDS.flatMap(
      ([type, call]) =>
        [
          [type, type, call],
          [type.charAt(0), type, call],
        ] as const,
    ),
  )('POST /v1/%s takes a %s call', async (path, type, call) => {
    const { source, receiver } = await world();
    const answer = await service.send(source, path, call);
    expect(answer).toMatchObject({ status: 200, text: '{"success":true}' });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    const [arrival] = await receiver.waitFor(1);
    expect(arrival?.message).toMatchObject({ version: 1, type });
  });

  test.each(['batch', 'b', 'import'])('POST /v1/%s takes a batch', async (path) => {
    const { source, receiver } = await world();
    const batch = KINDS.map(([type, call]) => ({ type, ...call }));
    expect(await service.send(source, path, { batch })).toMatchObject({ status: 200, text: '{"success":true}' });
    const arrivals = await receiver.waitFor(6);
    expect(arrivals.map(({ message }) => message['type']).sort()).toEqual(Object.keys(CALLS).sort());
  });

  test('contract 8.8: on /v1/{type} the path wins', async () => {
    const { source, receiver } = await world();
    await service.accept(source, { type: 'page', event: 'E' }, 'track');
    const [arrival] = await receiver.waitFor(1);
    expect(arrival?.message).toMatchObject({ type: 'track', event: 'E' });
  });

  test.each([
    undefined,
    'text/plain',
    'application/json; charset=utf-8',
    'application/x-www-form-urlencoded',
    'nonsense',
    'multipart/form-data',
  ])('any or no Content-Type: %s', async (type) => {
    const { source, receiver } = await world();
    const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
    expect(await service.send(source, 'track', CALLS.track, { headers })).toMatchObject({ status: 200 });
    await receiver.waitFor(1);
  });

  test('gzip bodies', async () => {
    const { source, receiver } = await world();
    const body = gzipSync(JSON.stringify({ ...CALLS.track, properties: { é: 'x'.repeat(5_000) } }));
    for (const encoding of ['gzip', 'GZIP', 'x-gzip'].slice(0, 2)) {
      expect(await service.send(source, 'track', body, { headers: { 'Content-Encoding': encoding } })).toMatchObject({
        status: 200,
      });
    }
    const [arrival] = await receiver.waitFor(2);
    expect(arrival?.message['properties']).toEqual({ é: 'x'.repeat(5_000) });
  });

  test('what browser libraries ask for at start', async () => {
    const { source } = await world({ type: 'web' });
    const { status, text, headers } = await ask(`${service.url}/v1/projects/${source.writeKey}/settings`, {
      headers: { Origin: 'https://shop.example' },
    });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ integrations: { 'Segment.io': { apiKey: source.writeKey } } });
    expect(headers['access-control-allow-origin']).toMatch(/^(\*|https:\/\/shop\.example)$/);
    const unknown = await ask(`${service.url}/v1/projects/nobody/settings`);
    expect(unknown.status).toBeGreaterThanOrEqual(400);
  });

  test('CORS for any origin, on answers and on errors', async () => {
    const { source } = await world({ type: 'web' });
    const Origin = 'https://shop.example:8443';
    const preflight = await ask(`${service.url}/v1/t`, {
      method: 'OPTIONS',
      headers: {
        Origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization, content-type, x-anything',
      },
    });
    expect(preflight.status).toBeLessThan(300);
    expect(preflight.headers['access-control-allow-methods']).toContain('POST');
    expect(preflight.headers['access-control-allow-headers']?.toLowerCase()).toMatch(/authorization/);
    const answers = [
      preflight,
      await service.send(source, 'track', CALLS.track, { headers: { Origin } }),
      await service.send(source, 'track', '{', { headers: { Origin } }),
      await ask(`${service.url}/v1/track`, { body: '{}', headers: { Origin } }),
    ];
    for (const { headers } of answers)
      expect(headers['access-control-allow-origin']).toMatch(/^(\*|https:\/\/shop\.example:8443)$/);
    expect(answers.map(({ status }) => status).slice(1)).toEqual([200, 400, 401]);
  });
});

describe('contract 8.1: the pixel', () => {
  const isGif = ({ status, headers, body }: Awaited<ReturnType<typeof ask>>): void => {
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('image/gif');
    expect(body.subarray(0, 6).toString()).toMatch(/^GIF8[79]a$/);
    expect([body.readUInt16LE(6), body.readUInt16LE(8)]).toEqual([1, 1]);
  };

  test.each(['base64', 'base64url'] as const)('takes data as %s of its JSON', async (encoding) => {
    const { source, receiver } = await world();
    const data = Buffer.from(JSON.stringify({ writeKey: source.writeKey, event: 'Öffnen >>?', userId: 'u1' })).toString(
      encoding,
    );
    isGif(await ask(`${service.url}/v1/pixel/track?data=${encodeURIComponent(data)}`));
    const [arrival] = await receiver.waitFor(1);
    expect(arrival?.message).toMatchObject({ type: 'track', event: 'Öffnen >>?' });
  });

  test('takes a dotted query', async () => {
    const { source, receiver } = await world();
    const query = new URLSearchParams({
      writeKey: source.writeKey,
      userId: 'u1',
      event: 'Opened',
      'properties.subject': 'Hé & co',
    });
    isGif(await ask(`${service.url}/v1/pixel/track?${query}`));
    const [arrival] = await receiver.waitFor(1);
    expect(arrival?.message).toMatchObject({ event: 'Opened', properties: { subject: 'Hé & co' } });
  });

  test.each([
    'track',
    'track?data=%%%',
    'track?data=e30',
    'nonsense?data=e30',
    'track?writeKey=nobody&event=E&userId=u',
    'page?__proto__.x=1&writeKey=x',
  ])('always answers 200 and an image: %s', async (query) => isGif(await ask(`${service.url}/v1/pixel/${query}`)));
});

describe('contract 8.2: the write key', () => {
  const basic = (user: string): Record<string, string> => ({
    Authorization: `Basic ${Buffer.from(user).toString('base64')}`,
  });

  test('as Basic user name, with any password or without the colon, or in the body', async () => {
    const { source, receiver } = await world();
    const { writeKey } = source;
    const url = `${service.url}/v1/track`;
    const body = JSON.stringify(CALLS.track);
    const answers = [
      await ask(url, { body, headers: basic(`${writeKey}:`) }),
      await ask(url, { body, headers: basic(writeKey) }),
      await ask(url, { body, headers: basic(`${writeKey}:secret`) }),
      await ask(url, {
        body,
        headers: { Authorization: basic(`${writeKey}:`)['Authorization']?.replace('Basic', 'basic') ?? '' },
      }),
      await ask(url, { body: JSON.stringify({ ...CALLS.track, writeKey }) }),
      await ask(`${service.url}/v1/batch`, {
        body: JSON.stringify({ writeKey, batch: [{ type: 'track', ...CALLS.track }] }),
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    const arrivals = await receiver.waitFor(6);
    // The key is not part of the message.
    expect(arrivals.filter(({ text }) => text.includes(writeKey))).toEqual([]);
  });

  test.each([
    ['none', {}, CALLS.track, 401],
    ['one that nobody has', basic('nobody:'), CALLS.track, 401],
    ['one that nobody has, in the body', {}, { ...CALLS.track, writeKey: 'nobody' }, 401],
    ['a Bearer token', { Authorization: 'Bearer x' }, CALLS.track, 401],
    ['no base64', { Authorization: 'Basic ???' }, CALLS.track, 401],
    ['an empty one', basic(':'), CALLS.track, 401],
    ['one that is no text', {}, { ...CALLS.track, writeKey: 17 }, 401],
  ] as const)('%s: 401', async (_, headers, body, status) => {
    const answer = await ask(`${service.url}/v1/track`, { body: JSON.stringify(body), headers });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toEqual({
      success: false,
      code: expect.stringMatching(/^(unknown|missing)_write_key$/),
      message: expect.any(String),
    });
  });

  test('one that no source has is unknown_write_key', async () => {
    const answer = await ask(`${service.url}/v1/track`, {
      body: JSON.stringify(CALLS.track),
      headers: basic('nobody:'),
    });
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'unknown_write_key' });
  });

  test('that was rotated is refused from the answer on, and the new one works', async () => {
    const { source, receiver } = await world();
    await service.accept(source, { event: 'Old' });
    const rotated = await service.must<Source>('POST', `/api/sources/${source.id}/rotate-key`);
    service.secrets.add(rotated.writeKey);
    expect(rotated.writeKey).not.toBe(source.writeKey);
    expect(await service.send(source, 'track', CALLS.track)).toMatchObject({ status: 401 });
    await service.accept(rotated, { event: 'New' });
    const arrivals = await receiver.waitFor(2);
    expect(arrivals.map(({ message }) => message['event']).sort()).toEqual(['New', 'Old']);
  });

  test('of a source that is disabled or deleted is refused', async () => {
    const { source } = await world();
    await service.must('PATCH', `/api/sources/${source.id}`, { enabled: false });
    const disabled = await service.send(source, 'track', CALLS.track);
    expect(JSON.parse(disabled.text)).toMatchObject({ success: false, code: 'source_disabled' });
    expect(disabled.status).toBe(403);
    // A library takes 200 for delivered.
    const batch = await service.send(source, 'batch', { batch: [{ type: 'track', ...CALLS.track }] });
    expect([batch.status, JSON.parse(batch.text)]).toMatchObject([403, { success: false, code: 'source_disabled' }]);
    await service.must('PATCH', `/api/sources/${source.id}`, { enabled: true });
    await service.accept(source);
    await service.must('DELETE', `/api/sources/${source.id}`);
    expect(await service.send(source, 'track', CALLS.track)).toMatchObject({ status: 401 });
  });
});

describe('contract 8.6: batch-level context', () => {
  test('merges under each call’s own', async () => {
    const { source, receiver } = await world();
    const batch = [
      { type: 'track', event: 'None', userId: 'u' },
      { type: 'track', event: 'Own', userId: 'u', context: { locale: 'fr', page: { path: '/' } } },
    ];
    await service.send(source, 'batch', { batch, context: { locale: 'de', library: { name: 'lib', version: '1' } } });
    const arrivals = await receiver.waitFor(2);
    const contexts = Object.fromEntries(arrivals.map(({ message }) => [message['event'], message['context']]));
    expect(contexts['None']).toEqual({ locale: 'de', library: { name: 'lib', version: '1' } });
    expect(contexts['Own']).toEqual({ locale: 'fr', library: { name: 'lib', version: '1' }, page: { path: '/' } });
  });
});

describe('contract 8.9: context.ip', () => {
  const contextOf = async (
    type: NewSource['type'],
    context: object,
    headers: Record<string, string> = {},
  ): Promise<unknown> => {
    const { source, receiver } = await world({ type });
    await service.send(source, 'track', { ...CALLS.track, context }, { headers });
    return (await receiver.waitFor(1))[0]?.message['context'];
  };

  test('is filled from the connection for web sources, when absent', async () => {
    expect(await contextOf('web', {})).toEqual({ ip: '127.0.0.1' });
    expect(await contextOf('web', { ip: '1.2.3.4' })).toEqual({ ip: '1.2.3.4' });
  });

  test('is filled for others only where context.direct is true', async () => {
    expect(await contextOf('server', {})).toEqual({});
    expect(await contextOf('mobile', {})).toEqual({});
    expect(await contextOf('server', { direct: true })).toMatchObject({ ip: '127.0.0.1' });
    expect(await contextOf('server', { direct: false })).not.toHaveProperty('ip');
  });

  test('believes a proxy only where one is configured', async () => {
    const forwarded = { 'X-Forwarded-For': '203.0.113.9' };
    expect(await contextOf('web', {}, forwarded)).toEqual({ ip: '127.0.0.1' });
    const behind = await startService({ MILLRACE_TRUST_PROXY: '127.0.0.1' });
    const receiver = await receive();
    const source = await behind.source({ type: 'web' });
    await behind.destination(source, receiver.url());
    await behind.send(source, 'track', CALLS.track, { headers: forwarded });
    expect((await receiver.waitFor(1))[0]?.message['context']).toEqual({ ip: '203.0.113.9' });
  });
});
