import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Arrival, receive } from './kit/receiver.ts';
import { startService } from './kit/service.ts';

/** One request of a real client library, as it was recorded. */
interface Captured {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaderNames: readonly string[];
  readonly bodyBytes: number;
  readonly body: unknown;
}

const FOLDER = new URL('../fixtures/sdk-captures/', import.meta.url);
const files = readdirSync(FOLDER).map((file) => {
  const { requests } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { requests: Captured[] };
  return { file, requests };
});

const RECORDED_KEY = 'wk_test';

/**
 * The bytes of the request as they went over the wire: names, order and all. Only the gzip stream is made anew, and the
 * write key is the source's.
 */
function wire({ method, url, headers, rawHeaderNames, bodyBytes, body }: Captured, writeKey: string): Buffer {
  const recorded = typeof body === 'string' ? body : JSON.stringify(body);
  expect(Buffer.byteLength(recorded)).toBe(bodyBytes);
  const basic = (key: string): string => Buffer.from(`${key}:`).toString('base64');
  const ours = (text: string): string =>
    text.replaceAll(RECORDED_KEY, writeKey).replaceAll(basic(RECORDED_KEY), basic(writeKey));
  const bytes = headers['content-encoding'] === 'gzip' ? gzipSync(ours(recorded)) : Buffer.from(ours(recorded));
  const lines = rawHeaderNames.map((name) => {
    const value = headers[name.toLowerCase()] ?? '';
    return `${name}: ${name.toLowerCase() === 'content-length' ? bytes.length : ours(value)}`;
  });
  return Buffer.concat([Buffer.from(`${method} ${ours(url)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`), bytes]);
}

/** Writes the requests one after the other to one connection; answers the heads and bodies that came back. */
function exchange(service: string, requests: readonly Buffer[]): Promise<string[]> {
  const { hostname, port } = new URL(service);
  return new Promise((resolve, reject) => {
    const answers: string[] = [];
    let buffer = '';
    const socket = connect(Number(port), hostname, () => void socket.write(requests[0] ?? ''));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`the connection was closed after ${answers.length} answers: ${buffer}`)));
    socket.on('data', (chunk: Buffer) => {
      buffer += chunk;
      const [head, ...rest] = buffer.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head ?? '')?.[1] ?? 0);
      const body = rest.join('\r\n\r\n');
      if (rest.length === 0 || body.length < length) return;
      answers.push(buffer);
      buffer = '';
      const next = requests[answers.length];
      if (next !== undefined) {
        socket.write(next);
      } else {
        socket.removeAllListeners('close');
        socket.destroy();
        resolve(answers);
      }
    });
  });
}

const LETTERS: Readonly<Record<string, string>> = {
  i: 'identify',
  t: 'track',
  p: 'page',
  s: 'screen',
  g: 'group',
  a: 'alias',
};

function callsOf({ url, body }: Captured): Record<string, unknown>[] {
  const given = body as Record<string, unknown>;
  if (Array.isArray(given['batch'])) return given['batch'] as Record<string, unknown>[];
  const last = url.split('/').at(-1) ?? '';
  return [{ ...given, type: LETTERS[last] ?? last }];
}

describe('stack, "What real SDKs send": recorded requests, byte for byte', () => {
  test.each(files)('$file', async ({ requests }) => {
    const service = await startService();
    const receiver = await receive();
    const source = await service.source({ type: 'web' });
    const sharedSecret = 'signed';
    await service.destination(source, [], { settings: { webhooks: [{ url: receiver.url() }], sharedSecret } });
    const ours = requests.filter(({ url }) => url !== '/custom/path');
    const answers = await exchange(
      service.url,
      ours.map((request) => wire(request, source.writeKey)),
    );
    expect(answers.map((answer) => answer.split(' ')[1])).toEqual(
      ours.map(({ method }) => (method === 'OPTIONS' ? '204' : '200')),
    );
    for (const [i, { method, headers }] of ours.entries()) {
      const answer = answers[i] ?? '';
      if (method === 'POST') expect(answer).toMatch(/\r\n\r\n\{"success":true\}$/);
      if (headers['origin'] !== undefined)
        expect(answer).toMatch(/access-control-allow-origin: (\*|http:\/\/127\.0\.0\.1:42881)\r\n/i);
      const asked = headers['access-control-request-headers']?.split(/, */) ?? [];
      const allowed = /access-control-allow-headers: (.*)\r\n/i.exec(answer)?.[1]?.toLowerCase().split(/, */) ?? [];
      for (const name of asked) expect(allowed).toContain(name.toLowerCase());
    }

    // The same message may be in several recorded requests: it is delivered once.
    const calls = new Map(
      ours
        .filter(({ method }) => method === 'POST')
        .flatMap(callsOf)
        .map((call) => [call['messageId'], call]),
    );
    const arrivals = await receiver.waitFor(calls.size);
    const came = new Map<unknown, Arrival>(arrivals.map((arrival) => [arrival.message['messageId'], arrival]));
    for (const [messageId, call] of calls) {
      const arrival = came.get(messageId);
      const identity =
        call['type'] === 'alias'
          ? { 'Previous ID': call['previousId'], 'User ID': call['userId'] }
          : { userId: call['userId'] ?? null };
      const own = ['event', 'groupId', 'traits', 'properties', 'name', 'category', 'anonymousId'].filter(
        (key) => call[key] != null,
      );
      const taken = call['type'] === 'alias' ? own.filter((key) => key === 'anonymousId') : own;
      const relevant = taken.filter((key) => key !== 'traits' || ['identify', 'group'].includes(String(call['type'])));
      expect(arrival?.message).toMatchObject({
        version: 1,
        type: call['type'],
        ...identity,
        ...Object.fromEntries(relevant.map((key) => [key, call[key]])),
        messageId,
        context: call['context'] ?? {},
      });
      expect(arrival?.text).toBe(JSON.stringify(JSON.parse(arrival?.text ?? '')));
    }
  });
});
