import { createServer as createTcpServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { systemClock } from '../core/clock.ts';
import { createInspect, type InspectSettings, type InspectStep } from './inspect.ts';
import type { LookupAll } from './look-up.ts';
import { Reach } from './reach.ts';
import { type Certificate, certify } from './test-certificates.ts';
import { listen, trust } from './test-tls.ts';

const DAY = 86_400_000;
const now = Date.now();
const authority = certify({ name: 'Test CA', from: now - DAY, until: now + 900 * DAY, authority: true });
const stranger = certify({ name: 'Other CA', from: now - DAY, until: now + DAY, authority: true });

function inspect(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  settings: Partial<InspectSettings> = {},
): Promise<readonly InspectStep[]> {
  return createInspect({
    clock: systemClock,
    timeout: 10_000,
    reach: new Reach({ allowPrivate: true, isLocal: false }),
    ...settings,
  })({ url, headers });
}

const names = (steps: readonly InspectStep[]): string[] => steps.map(({ name, ok }) => (ok ? name : `${name} fails`));

/** A TLS server; counts the bytes it is sent inside TLS. */
async function serve({ pem, key }: Certificate): Promise<{ url: string; received: () => number }> {
  let received = 0;
  const server = createTlsServer({ cert: pem, key }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
  });
  server.on('tlsClientError', () => {});
  return { url: `https://localhost:${await listen(server)}/hook`, received: () => received };
}

test.each([
  ['no url', 'This is not a URL'],
  ['', 'This is not a URL'],
  ['ftp://example.com/', 'begins with http:// or https://'],
  ['https://user:secret@example.com/', 'Authorization header'],
])('%j cannot be saved, and nothing further is looked at', async (url, reason) => {
  const steps = await inspect(url);
  expect(names(steps)).toEqual(['url fails']);
  expect(steps[0]).toMatchObject({ field: 'url', message: expect.stringContaining(reason) });
});

test('a header that cannot be sent is named, and the others with it', async () => {
  const steps = await inspect('http://127.0.0.1:9/', { 'X-Good': 'a', Host: 'b', 'X-Bad': 'c\n' });
  expect(names(steps)).toEqual(['url', 'headers fails']);
  expect(steps[1]).toMatchObject({ field: 'headers.Host', message: expect.stringMatching(/Host: .*X-Bad: /) });
});

describe('addresses', () => {
  const to = (...addresses: string[]): LookupAll => {
    const answers = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    return (_hostname, _options, callback) => setImmediate(() => callback(null, answers));
  };

  test('are named', async () => {
    const port = await listen(createTcpServer(() => {}));
    const steps = await inspect(`http://here.test:${port}/`, {}, { lookup: to('::1', '127.0.0.1') });
    expect(names(steps)).toEqual(['url', 'headers', 'address', 'connect']);
    expect(steps[2]?.message).toBe('here.test is at ::1, 127.0.0.1.');
  });

  test.each([
    ['http://127.0.0.1:9/', to()],
    ['http://[::1]:9/', to()],
    ['http://inside.test/', to('203.0.112.9', '10.0.0.1')],
  ])('that are not public are refused: %s', async (url, lookup) => {
    const steps = await inspect(url, {}, { reach: new Reach({ allowPrivate: false, isLocal: false }), lookup });
    expect(names(steps)).toEqual(['url', 'headers', 'address fails']);
    expect(steps[2]).toMatchObject({ field: 'url', message: expect.stringContaining('MILLRACE_ALLOW_PRIVATE_URLS') });
  });

  test('that no name server knows', async () => {
    const lookup: LookupAll = (_hostname, _options, callback) =>
      callback(Object.assign(new Error('getaddrinfo ENOTFOUND gone.test'), { code: 'ENOTFOUND' }), []);
    const steps = await inspect('http://gone.test/', {}, { lookup });
    expect(steps.at(-1)).toMatchObject({ name: 'address', message: expect.stringContaining('Check the spelling') });
  });

  test('are not waited for longer than the timeout', async () => {
    const clock = new HandClock();
    const found = inspect('http://slow.test/', {}, { clock, lookup: () => clock.advance(10_000) });
    expect((await found).at(-1)).toMatchObject({ name: 'address', ok: false, ms: 10_000 });
  });

  test('are checked again at the connection', async () => {
    let looks = 0;
    const lookup: LookupAll = (...args) => to(looks++ === 0 ? '203.0.112.9' : '127.0.0.1')(...args);
    const steps = await inspect(
      'https://rebound.test:9/',
      {},
      { reach: new Reach({ allowPrivate: false, isLocal: false }), lookup },
    );
    expect(names(steps)).toEqual(['url', 'headers', 'address', 'connect fails']);
  });
});

describe('connections', () => {
  test('that are refused', async () => {
    const closed = createTcpServer();
    const port = await listen(closed);
    await new Promise((resolve) => closed.close(resolve));
    const steps = await inspect(`http://127.0.0.1:${port}/`);
    expect(steps.at(-1)).toMatchObject({ name: 'connect', message: expect.stringContaining('Nothing listens') });
  });

  test('that speak no TLS', async () => {
    const port = await listen(
      createTcpServer((socket) => void socket.on('data', () => socket.end('HTTP/1.1 400 no\r\n\r\n'))),
    );
    const steps = await inspect(`https://127.0.0.1:${port}/`);
    expect(names(steps)).toEqual(['url', 'headers', 'address', 'connect', 'tls fails']);
    expect(steps.at(-1)?.message).toContain('begin the URL with http://');
  });

  test('whose TLS never comes about', async () => {
    const clock = new HandClock();
    const server = createTcpServer((socket) => void socket.once('data', () => clock.advance(10_000)));
    const steps = await inspect(`https://127.0.0.1:${await listen(server)}/`, {}, { clock });
    expect(steps.at(-1)).toMatchObject({ name: 'tls', ok: false, message: expect.stringContaining('in time') });
  });
});

describe('certificates', () => {
  const of = (host: string, from: number, until: number, issuer?: Certificate): Certificate =>
    certify({ name: host, host, from, until, ...(issuer && { issuer }) });
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

  test('that are trusted tell whose they are, and until when', async () => {
    trust(authority);
    const { url, received } = await serve(of('localhost', now - DAY, now + 400 * DAY, authority));
    const steps = await inspect(url);
    expect(names(steps)).toEqual(['url', 'headers', 'address', 'connect', 'tls']);
    expect(steps.at(-1)?.message).toBe(`Certificate of localhost, from Test CA, valid until ${day(now + 400 * DAY)}.`);
    expect(received()).toBe(0);
  });

  test('that end soon say so', async () => {
    trust(authority);
    const { url } = await serve(of('localhost', now - DAY, now + 3.5 * DAY, authority));
    expect((await inspect(url)).at(-1)?.message).toContain('only 3 days more');
  });

  test.each([
    ['self-signed', () => of('localhost', now - DAY, now + DAY), 'localhost (localhost) is self-signed'],
    [
      'of an unknown authority',
      () => of('localhost', now - DAY, now + DAY, stranger),
      'is from Other CA, which is no known authority',
    ],
    [
      'expired',
      () => of('localhost', now - 3 * DAY, now - 2 * DAY, authority),
      `expired on ${day(now - 2 * DAY)}. Renew it`,
    ],
    [
      'of the future',
      () => of('localhost', now + 2 * DAY, now + 3 * DAY, authority),
      `is valid from ${day(now + 2 * DAY)} on`,
    ],
    [
      'of another host',
      () => of('example.com', now - DAY, now + DAY, authority),
      'is for example.com, not for localhost',
    ],
  ] as const)('%s: what is wrong is said, and how to mend it', async (_, make, reason) => {
    trust(authority);
    const { url, received } = await serve(make());
    const steps = await inspect(url);
    expect(names(steps)).toEqual(['url', 'headers', 'address', 'connect', 'tls fails']);
    expect(steps.at(-1)).toMatchObject({ field: 'url', message: expect.stringContaining(reason) });
    expect(received()).toBe(0);
  });
});
