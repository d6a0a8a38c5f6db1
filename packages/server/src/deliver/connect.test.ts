import { once } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { attempt, openSender } from '../../../../test/attempts.ts';
import { answers, OK, ScriptedReceiver } from '../../../../test/scripted-receiver.ts';
import { type LookupAll, sharedLookup } from './look-up.ts';
import { Reach } from './reach.ts';
import { type Certificate, certify } from './test-certificates.ts';
import { listen, trust } from './test-tls.ts';

const DAY = 86_400_000;

/** A TLS server that counts its connections and the bytes it is sent inside TLS. */
async function secure(
  certificate: Certificate,
  answer: (socket: TLSSocket) => void = (socket) => socket.end(OK),
): Promise<{ port: number; received: () => number; opened: () => number; resumed: () => number }> {
  let received = 0;
  let opened = 0;
  let resumed = 0;
  const server = createTlsServer({ cert: certificate.pem, key: certificate.key }, (socket: TLSSocket) => {
    opened += 1;
    if (socket.isSessionReused()) resumed += 1;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (chunk.toString().endsWith('}')) answer(socket);
    });
  });
  server.on('tlsClientError', () => {});
  return { port: await listen(server), received: () => received, opened: () => opened, resumed: () => resumed };
}

describe('a certificate', () => {
  const now = Date.now();
  const valid = { from: now - DAY, until: now + DAY };
  const authority = certify({ name: 'Test CA', ...valid, authority: true });
  const other = certify({ name: 'Other CA', ...valid, authority: true });
  const of = (host: string, from: number, until: number, issuer?: Certificate): Certificate =>
    certify({ name: host, host, from, until, ...(issuer && { issuer }) });

  test('of a trusted authority, for this host and of today is accepted', async () => {
    trust(authority);
    const { port, received } = await secure(of('localhost', valid.from, valid.until, authority));
    expect(await attempt(openSender(`https://localhost:${port}/`))).toMatchObject({ class: 'success', status: 200 });
    expect(received()).toBeGreaterThan(0);
  });

  test.each([
    ['self-signed', () => of('localhost', valid.from, valid.until), 'certificate_self_signed'],
    ['of an unknown authority', () => of('localhost', valid.from, valid.until, other), 'certificate_untrusted'],
    ['expired', () => of('localhost', now - 2 * DAY, now - DAY, authority), 'certificate_expired'],
    ['of the future', () => of('localhost', now + DAY, now + 2 * DAY, authority), 'certificate_not_yet_valid'],
    ['of another host', () => of('example.com', valid.from, valid.until, authority), 'certificate_wrong_host'],
    [
      'not fit',
      () => certify({ ...valid, name: 'localhost', issuer: authority, isOdd: true }),
      'certificate_untrusted',
    ],
  ] as const)('%s is refused, and not a byte of the request is sent', async (_, make, error) => {
    trust(authority);
    const { port, received } = await secure(make());
    expect(await attempt(openSender(`https://localhost:${port}/`))).toMatchObject({
      class: 'permanent',
      status: null,
      error,
      detail: expect.stringMatching(/^The certificate /),
    });
    expect(received()).toBe(0);
  });

  test('of a client that an endpoint asks for by TLS 1.3 is told as such: Millrace has none', async () => {
    trust(authority);
    const { pem: cert, key } = of('localhost', valid.from, valid.until, authority);
    const server = createTlsServer({ cert, key, requestCert: true, rejectUnauthorized: true });
    server.on('tlsClientError', () => {});
    const port = await listen(server);
    expect(await attempt(openSender(`https://localhost:${port}/`))).toMatchObject({
      error: 'tls_failed',
      detail: expect.stringContaining('certificate required'),
    });
  });

  test('with names without end is told in few words', async () => {
    trust(authority);
    const { port } = await secure(of(`${'a'.repeat(20_000)}.example.com`, valid.from, valid.until, authority));
    const { error, detail } = await attempt(openSender(`https://localhost:${port}/`));
    expect(error).toBe('certificate_wrong_host');
    expect(detail).toMatch(/^.{1000,1100}…$/);
  });

  test('that has ended is known by when it did', async () => {
    trust(authority);
    const ended = now - DAY;
    const { port } = await secure(of('localhost', now - 2 * DAY, ended, authority));
    const sender = openSender(`https://localhost:${port}/`);
    expect(await attempt(sender)).toMatchObject({ error: 'certificate_expired' });
    expect(sender.certificateEndsAt).toBe(Math.floor(ended / 1000) * 1000);
  });

  test('is checked against an address where the URL has no name', async () => {
    trust(authority);
    const { port, received } = await secure(of('localhost', valid.from, valid.until, authority));
    expect(await attempt(openSender(`https://127.0.0.1:${port}/`))).toMatchObject({ error: 'certificate_wrong_host' });
    expect(received()).toBe(0);
  });

  test('is verified even where the environment says otherwise', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    onTestFinished(() => void delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
    const { port, received } = await secure(of('localhost', valid.from, valid.until));
    expect(await attempt(openSender(`https://localhost:${port}/`))).toMatchObject({ error: 'certificate_self_signed' });
    expect(received()).toBe(0);
  });

  test('that was trusted once lets the next connection resume', async () => {
    trust(authority);
    const { port, resumed } = await secure(of('localhost', valid.from, valid.until, authority));
    const sender = openSender(`https://localhost:${port}/`, { connections: 1 });
    for (let index = 0; index < 3; index++) expect(await attempt(sender)).toMatchObject({ status: 200 });
    expect(resumed()).toBeGreaterThan(0);
    // Also of a connection that resumed, which sends no certificate.
    expect(sender.certificateEndsAt).toBe(Math.floor(valid.until / 1000) * 1000);
  });

  test('is verified again when the one that is resumed by was seen an hour ago', async () => {
    trust(authority);
    const { port, resumed } = await secure(of('localhost', valid.from, valid.until, authority));
    const sender = openSender(`https://localhost:${port}/`, { connections: 1 });
    for (let index = 0; index < 2; index++) expect(await attempt(sender)).toMatchObject({ status: 200 });
    expect(resumed()).toBe(1);
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await attempt(sender)).toMatchObject({ status: 200 });
    expect(resumed()).toBe(1);
    expect(await attempt(sender)).toMatchObject({ status: 200 });
    expect(resumed()).toBe(2);
  });
});

describe('a connection that stays open is left, and the certificate verified again,', () => {
  const now = Date.now();
  const authority = certify({ name: 'Test CA', from: now - DAY, until: now + DAY, authority: true });

  test.each([
    ['after an hour', now + DAY, 3_600_000],
    ['when the certificate has ended', now + 600_000, 600_000],
  ])('%s', async (_, until, ms) => {
    trust(authority);
    const certificate = certify({ name: 'localhost', host: 'localhost', from: now - DAY, until, issuer: authority });
    const { port, opened, resumed } = await secure(certificate, (socket) => socket.write(OK));
    const sender = openSender(`https://localhost:${port}/`, { connections: 1 });
    for (let index = 0; index < 3; index++) expect(await attempt(sender)).toMatchObject({ status: 200 });
    expect(opened()).toBe(1);
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + ms);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await attempt(sender)).toMatchObject({ status: 200 });
    expect([opened(), resumed()]).toEqual([2, 0]);
  });
});

test('a server that speaks no TLS', async () => {
  const port = await listen(createTcpServer((socket) => void socket.on('data', () => socket.end(OK))));
  expect(await attempt(openSender(`https://127.0.0.1:${port}/`))).toMatchObject({
    class: 'temporary',
    error: 'tls_failed',
    // OpenSSL's words, without where in its source they come from.
    detail: 'The TLS handshake failed: wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)',
  });
});

test('a peer whose address is refused gets no TLS greeting either', async () => {
  let bytes = 0;
  let over: Promise<unknown> | null = null;
  const server = createTcpServer((socket) => {
    over = once(socket, 'close');
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
  });
  const port = await listen(server);
  let looks = 0;
  const changing = {
    family: 4,
    get address(): string {
      return looks++ === 0 ? '8.8.8.8' : '127.0.0.1';
    },
  };
  const lookup: LookupAll = (_hostname, _options, callback) => callback(null, [changing]);
  const sender = openSender(`https://rebound.test:${port}/`, {
    reach: new Reach({ allowPrivate: false, isLocal: false }),
    lookup,
  });
  expect(await attempt(sender)).toMatchObject({ error: 'address_not_allowed' });
  if (over === null) await once(server, 'connection');
  await over;
  expect(bytes).toBe(0);
});

test('connections that open together ask the name server once', async () => {
  const port = await listen(createTcpServer((socket) => void socket.on('data', () => socket.write(OK))));
  let asked = 0;
  const lookup = sharedLookup((_hostname, _options, callback) => {
    asked += 1;
    setImmediate(() => callback(null, [{ address: '127.0.0.1', family: 4 }]));
  });
  const sender = openSender(`http://once.test:${port}/`, { lookup });
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => attempt(sender)));
  expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(asked).toBe(1);
});

test('of a name with thousands of addresses the first eight of each family are tried', async () => {
  const receiver = new ScriptedReceiver(answers(OK));
  const url = await receiver.listen();
  await receiver.close();
  const many = Array.from({ length: 2_000 }, (_, n) => ({ address: `127.1.${n >> 8}.${n & 255}`, family: 4 }));
  const lookup: LookupAll = (_hostname, _options, callback) => callback(null, [...many, { address: '::1', family: 6 }]);
  const { detail } = await attempt(openSender(url.replace('127.0.0.1', 'many.test'), { lookup }));
  expect(detail?.match(/connect E/g)).toHaveLength(9);
});

test('the second address is tried where the first refuses', async () => {
  const port = await listen(createTcpServer((socket) => void socket.on('data', () => socket.write(OK))));
  const addresses = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  const lookup: LookupAll = (_hostname, _options, callback) => callback(null, addresses);
  expect(await attempt(openSender(`http://both.test:${port}/`, { lookup }))).toMatchObject({ status: 200 });
});
