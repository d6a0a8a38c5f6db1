import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Call } from '../../../../test/system/kit/admin.ts';
import { CAPTURES, type Captured, callsOf } from '../../../../test/system/kit/captures.ts';
import { SOURCE, startTestServer, type TestServer } from './test-server.ts';

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

const captures = CAPTURES.flatMap(({ file, requests }) =>
  requests.map((captured, i) => ({ name: `${file} ${i}: ${captured.method} ${captured.url}`, captured })),
);

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer([{ ...SOURCE, type: 'web' }]);
});
afterEach(() => server.close());

/** Sends the request as it was sent, header by header, to the test's own server. */
async function replay({ method, url, headers, body }: Captured): Promise<Answer> {
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  const bytes = headers['content-encoding'] === 'gzip' ? gzipSync(json) : Buffer.from(json);
  const same = Object.entries(headers).filter(([name]) => name !== 'host' && name !== 'connection');
  const isSized = bytes.length > 0 && headers['transfer-encoding'] === undefined;
  const head = { ...Object.fromEntries(same), ...(isSized ? { 'content-length': String(bytes.length) } : {}) };
  const sent = request(`${server.url}${url}`, { method, headers: head });
  sent.end(bytes);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
}

/** What contract 1 makes of a call, written down a second time, as objects. */
function expected(call: Call, receivedAt: string, isImport: boolean): object {
  const given = (fields: object): object =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
  const sentAt = call['sentAt'] as string;
  const original = (call['originalTimestamp'] ?? call['timestamp']) as string;
  const happened = Date.parse(String(call['timestamp'] ?? original));
  const wrong = Date.parse(receivedAt) - Date.parse(sentAt);
  const isClock = !isImport && Math.abs(wrong) > 5_000 && Math.abs(wrong) <= 86_400_000;
  const userId = { userId: call['userId'] ?? null };
  const properties = call['properties'] ?? (call['type'] === 'screen' ? undefined : {});
  const own: Record<string, object> = {
    identify: { ...userId, traits: call['traits'] ?? (call['context'] as Call)['traits'] ?? {} },
    track: { ...userId, event: call['event'], properties },
    page: given({ ...userId, name: call['name'], category: call['category'], properties }),
    screen: given({ ...userId, name: call['name'], category: call['category'], properties }),
    group: { ...userId, groupId: call['groupId'], traits: call['traits'] ?? {} },
    alias: { 'Previous ID': call['previousId'], 'User ID': call['userId'] },
  };
  return {
    version: 1,
    type: call['type'],
    ...(call['type'] === 'alias' ? {} : userId),
    ...own[String(call['type'])],
    timestamp: new Date(happened + (isClock ? wrong : 0)).toISOString(),
    context: { ...(call['context'] as object), ip: (call['context'] as Call)['ip'] ?? '127.0.0.1' },
    ...given({ anonymousId: call['anonymousId'] }),
    messageId: call['messageId'],
    receivedAt,
    sentAt,
    originalTimestamp: original,
    ...given({ integrations: call['integrations'] }),
  };
}

const posts = captures.filter(({ captured }) => captured.method === 'POST' && captured.url !== '/custom/path');
describe('a captured POST becomes the events it holds', () => {
  test.each(posts)('$name', async ({ captured }) => {
    const answer = await replay(captured);
    expect(answer).toMatchObject({ status: 200, text: '{"success":true}' });
    const receivedAt = new Date(server.events[0]?.receivedAt ?? 0).toISOString();
    const texts = server.events.map(({ body }) => Buffer.from(body).toString());
    const isImport = captured.url.startsWith('/v1/import');
    expect(texts).toEqual(callsOf(captured).map((call) => JSON.stringify(expected(call, receivedAt, isImport))));
    const { origin } = captured.headers;
    if (origin !== undefined) expect(answer.headers['access-control-allow-origin']).toBe(origin);
  });
});

const preflights = captures.filter(({ captured }) => captured.method === 'OPTIONS');
describe('a captured preflight is answered yes', () => {
  test.each(preflights)('$name', async ({ captured }) => {
    const { status, headers } = await replay(captured);
    const list = (name: string): string[] => String(headers[name]).split(/, */);
    expect(status).toBe(204);
    expect(headers['access-control-allow-origin']).toBe(captured.headers['origin']);
    expect(list('access-control-allow-methods')).toContain(captured.headers['access-control-request-method']);
    const asked = captured.headers['access-control-request-headers']?.split(/, */) ?? [];
    expect(list('access-control-allow-headers')).toEqual(expect.arrayContaining(asked));
  });
});

describe('a captured question for settings is answered', () => {
  test.each(captures.filter(({ captured }) => captured.method === 'GET'))('$name', async ({ captured }) => {
    const { status, headers, text: json } = await replay(captured);
    expect(status).toBe(200);
    expect(headers['access-control-allow-origin']).toBe(captured.headers['origin']);
    const answer: object = JSON.parse(json);
    if (captured.url.startsWith('/sourceConfig')) {
      expect(answer).toMatchObject({ source: { id: 's1', enabled: true, config: {}, destinations: [] } });
    } else {
      const host = server.url.slice('http://'.length);
      expect(answer).toMatchObject({
        integrations: { 'Segment.io': { apiKey: 'wk_test', apiHost: `${host}/v1`, protocol: 'http' } },
      });
    }
  });
});

test('every kind of captured request is covered', () => {
  expect(posts.length + preflights.length).toBeGreaterThan(30);
  expect(captures.filter(({ captured }) => captured.headers['content-encoding'] === 'gzip')).toHaveLength(6);
});

test('a path of the client’s own is not ours to answer', async () => {
  const custom = captures.find(({ captured }) => captured.url === '/custom/path');
  if (!custom) throw new Error('no such capture');
  expect(await replay(custom.captured)).toMatchObject({ status: 404 });
});
