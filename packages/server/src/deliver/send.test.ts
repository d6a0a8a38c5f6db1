import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { attempt, BODY, openSender } from '../../../../test/attempts.ts';
import { HandClock } from '../../../../test/hand-clock.ts';
import { answers, OK, receive, ScriptedReceiver, until } from '../../../../test/scripted-receiver.ts';
import type { Outcome } from '../core/delivery.ts';
import type { LookupAll } from './look-up.ts';
import { signer } from './signature.ts';

/** Counts the timers that were begun. */
class CountingClock extends HandClock {
  begun = 0;

  override after(ms: number, run: () => void): () => void {
    this.begun++;
    return super.after(ms, run);
  }
}

describe('the request', () => {
  test('is a POST of the bytes, with the fixed and the static headers and the signature', async () => {
    const { url, receiver } = await receive(answers(OK));
    const webhook = { url: `${url}/hooks/in?team=growth&x=%20`, headers: { 'X-Team': 'growth', 'X-Ratio': '1:2' } };
    await attempt(openSender(webhook.url, {}, { webhook, sharedSecret: 'secret' }));
    const [head = '', body] = (receiver.requests[0]?.text ?? '').split('\r\n\r\n');
    const [line, ...headers] = head.split('\r\n');
    expect(line).toBe('POST /hooks/in?team=growth&x=%20 HTTP/1.1');
    expect(headers.toSorted()).toEqual([
      'Content-Type: application/json',
      'User-Agent: Millrace/1.0',
      'X-Millrace-Source-Type: web',
      'X-Millrace-Source: src_1',
      'X-Ratio: 1:2',
      `X-Signature: ${signer('secret')(BODY)}`,
      'X-Team: growth',
      'connection: keep-alive',
      `content-length: ${BODY.length}`,
      `host: ${new URL(url).host}`,
    ]);
    expect(body).toBe(BODY.toString());
  });

  test('is not signed without a secret', async () => {
    const { url, receiver } = await receive(answers(OK));
    await attempt(openSender(url));
    expect(receiver.requests[0]?.text).not.toMatch(/x-signature/i);
  });

  test('is signed for its own body where several are under way', async () => {
    const { url, receiver } = await receive(answers(OK));
    const sender = openSender(url, { connections: 2 }, { sharedSecret: 'secret' });
    const bodies = Array.from({ length: 20 }, (_, index) => Buffer.from(`{"n":${index}}`));
    await Promise.all(bodies.map((body) => attempt(sender, body)));
    expect(receiver.requests).toHaveLength(20);
    for (const { text } of receiver.requests) {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      expect(head).toContain(`X-Signature: ${signer('secret')(Buffer.from(body))}`);
    }
  });

  test('goes out on a connection that is used again', async () => {
    const { url, receiver } = await receive(answers(OK));
    const sender = openSender(url);
    for (let index = 0; index < 5; index++) await attempt(sender);
    expect([receiver.requests.length, receiver.connections]).toEqual([5, 1]);
  });

  test('goes to an IPv6 address', async () => {
    const receiver = new ScriptedReceiver(answers(OK));
    const url = await receiver.listen('::1');
    expect(await attempt(openSender(url))).toMatchObject({ class: 'success', status: 200 });
  });
});

describe('a response', () => {
  test.each([
    [200, 'success'],
    [204, 'success'],
    [302, 'permanent'],
    [404, 'permanent'],
    [429, 'temporary'],
    [503, 'temporary'],
  ] as const)('of %i is a %s', async (status, expected) => {
    const body = status === 204 ? '' : 'words';
    const length = status === 204 ? '' : `Content-Length: ${body.length}\r\n`;
    const { url } = await receive(
      answers(`HTTP/1.1 ${status} Some Reason\r\nServer: ${'x'.repeat(300)}\r\nX-Own: 1\r\n${length}\r\n${body}`),
    );
    const sender = openSender(url);
    expect(await attempt(sender)).toEqual({
      class: expected,
      status,
      error: null,
      detail: null,
      retryAfter: null,
      answer: body === '' ? null : body,
      timing: { dns: null, connect: expect.any(Number), tls: null, firstByte: expect.any(Number) },
      ...(status > 299 && { headers: { server: 'x'.repeat(200) } }),
    });
    // On a connection that is open, what goes well is not measured.
    const { timing } = await attempt(sender);
    if (status < 300) expect(timing).toBeUndefined();
    else expect(timing).toMatchObject({ connect: null, firstByte: expect.any(Number) });
  });

  test('that redirects is not followed', async () => {
    const elsewhere = await receive(answers(OK));
    const { url } = await receive(
      answers(`HTTP/1.1 307 Temporary Redirect\r\nLocation: ${elsewhere.url}/\r\nContent-Length: 0\r\n\r\n`),
    );
    expect(await attempt(openSender(url))).toMatchObject({ class: 'permanent', status: 307 });
    expect(elsewhere.receiver.connections).toBe(0);
  });

  test.each([
    ['503 Service Unavailable', 7_000],
    ['429 Too Many Requests', 7_000],
    ['400 Bad Request', null],
    ['200 OK', null],
  ])('of %s with Retry-After asks for %s', async (status, retryAfter) => {
    const { url } = await receive(answers(`HTTP/1.1 ${status}\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n`));
    expect(await attempt(openSender(url))).toMatchObject({ retryAfter });
  });

  test('may be preceded by an informational one', async () => {
    const { url } = await receive(answers(`HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${OK}`));
    expect(await attempt(openSender(url))).toMatchObject({ class: 'success', status: 200, answer: 'ok' });
  });

  test('of 1 KiB is kept whole, a longer one is cut, never inside a character', async () => {
    const body = (text: string): string =>
      `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
    const texts = ['x'.repeat(1024), 'x'.repeat(1025), `${'x'.repeat(1022)}€€`, `${'x'.repeat(1023)}😀`];
    const kept = ['x'.repeat(1024), 'x'.repeat(1024), 'x'.repeat(1022), 'x'.repeat(1023)];
    let next = 0;
    const { url } = await receive(({ socket }) => void socket.write(body(texts[next++] ?? '')));
    const sender = openSender(url);
    for (const expected of kept) expect((await attempt(sender)).answer).toBe(expected);
  });

  test.each(['200 OK', '401 Unauthorized'])(
    'of %s is kept without the static headers that it repeats',
    async (status) => {
      const text = JSON.stringify({ got: 'Bearer live-credential-1', token: 'live-credential-1', team: 'growth' });
      const { url } = await receive(answers(`HTTP/1.1 ${status}\r\nContent-Length: ${text.length}\r\n\r\n${text}`));
      const headers = { Authorization: 'Bearer live-credential-1', 'X-Team': 'growth' };
      const { answer } = await attempt(openSender(url, {}, { webhook: { url, headers } }));
      expect(JSON.parse(answer ?? '')).toEqual({ got: '••••', token: '••••', team: 'growth' });
    },
  );

  test('that is cut within a static header that it repeats is kept without its beginning', async () => {
    const text = `${'x'.repeat(1_024 - 'live-credential'.length)}live-credential-1`;
    const { url } = await receive(answers(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`));
    const headers = { Authorization: 'Bearer live-credential-1' };
    const { answer } = await attempt(openSender(url, {}, { webhook: { url, headers } }));
    expect(answer).toMatch(/^x+••••$/);
  });

  test('is kept without static headers in its own headers, cut or not, and as programs escape them', async () => {
    const credential = 'live"key/c2Vj+cmV0';
    const written = ['live\\"key/c2Vj+cmV0', 'live\\"key\\/c2Vj+cmV0', 'live\\u0022key/c2Vj\\u002BcmV0'];
    const text = [credential, ...written].join(' ');
    const { url } = await receive(
      answers(
        [
          'HTTP/1.1 401 Unauthorized',
          `Server: ${'x'.repeat(190)}${credential}`,
          'Location: https://other.test/?key=live%22key%2Fc2Vj%2BcmV0&n=1',
          `X-Request-Id: ${credential}`,
          `Content-Length: ${text.length}\r\n\r\n${text}`,
        ].join('\r\n'),
      ),
    );
    const headers = { 'X-Key': credential, 'X-Team': credential.slice(0, -4) };
    expect(await attempt(openSender(url, {}, { webhook: { url, headers } }))).toMatchObject({
      answer: '•••• •••• •••• ••••',
      headers: {
        server: `${'x'.repeat(190)}••••`,
        location: 'https://other.test/?key=••••&n=1',
        'x-request-id': '••••',
      },
    });
  });

  test.each([
    ['in a URL, with lower-case digits', 'live-1/c2Vj+é=', 'live-1%2fc2Vj%2b%c3%a9%3d'],
    ['in a path of a URL', 'live-1/c2Vj+é=', 'live-1/c2Vj%2B%C3%A9%3D'],
    ['in a URL, with a backslash', 'live-1/c2\\Vj=', 'live-1%2Fc2%5CVj%3D'],
    ['in JSON of ASCII alone', 'live-1/c2Vj+é=', 'live-1/c2Vj+\\u00e9='],
    ['in JSON in JSON', 'live-1/"c2Vj', 'live-1\\\\/\\\\\\"c2Vj'],
    ['as the Latin-1 that was sent', 'live-1/c2Vj+é=', Buffer.from('live-1/c2Vj+é=', 'latin1')],
    ['to the escape in which it is cut', 'live-1/c2Vj+é=', `live-1%2Fc2Vj%2`],
    ['with backslashes', `live${'\\'.repeat(40)}key`, `live${'\\'.repeat(80)}key`],
    ['at its full length', 'é'.repeat(2_048), `${'é'.repeat(200)}`],
  ])('is kept without a static header that it repeats %s', async (_, credential, repeated) => {
    const text = Buffer.concat([Buffer.from('x'.repeat(1_024 - Buffer.byteLength(repeated))), Buffer.from(repeated)]);
    const body = Buffer.concat([text, Buffer.from('x')]);
    const { url } = await receive(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
    const headers = { Authorization: `Bearer ${credential}` };
    const { answer } = await attempt(openSender(url, {}, { webhook: { url, headers } }));
    expect(answer).toMatch(/^x+••••$/);
  });

  test('that does not come is explained without static headers', async () => {
    const lookup: LookupAll = (_hostname, _options, callback) =>
      callback(Object.assign(new Error('no live-credential-1'), { code: 'ENOTFOUND' }), []);
    const headers = { Authorization: 'Bearer live-credential-1' };
    const url = 'http://nowhere.test/';
    const { detail } = await attempt(openSender(url, { lookup }, { webhook: { url, headers } }));
    expect(detail).toBe('The name could not be resolved: no •••• (ENOTFOUND)');
  });

  test('that ends with its connection is whole', async () => {
    const { url } = await receive(({ socket }) => void socket.end('HTTP/1.0 200 OK\r\n\r\nold but fine'));
    expect(await attempt(openSender(url))).toMatchObject({ class: 'success', answer: 'old but fine' });
  });

  test('that comes in pieces is kept from its beginning', async () => {
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    const pieces = [
      'HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n',
      ...['first ', 'second ', 'x'.repeat(2000)].map(chunk),
      '0\r\n\r\n',
    ];
    const { url } = await receive(({ socket }) => {
      const next = (): void => {
        const piece = pieces.shift();
        if (piece !== undefined) socket.write(piece, () => setImmediate(next));
      };
      next();
    });
    expect((await attempt(openSender(url))).answer).toBe(`first second ${'x'.repeat(1011)}`);
  });
});

describe('a body is read no further than', () => {
  test('64 KiB: then the status decides and the connection is dropped', async () => {
    let closed = 0;
    const { url, receiver } = await receive(({ socket }) => {
      socket.on('close', () => closed++);
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write('y'.repeat(16_384)));
      };
      socket.on('drain', more);
      more();
    });
    // With a clock that stands still, only the size can end it.
    const sender = openSender(url, { clock: new HandClock() });
    expect(await attempt(sender)).toMatchObject({ class: 'success', status: 200, answer: 'y'.repeat(1024) });
    await until(() => closed === 1);
    await attempt(sender);
    expect(receiver.connections).toBe(2);
  });

  test('what fits in 64 KiB keeps its connection', async () => {
    const { url, receiver } = await receive(
      answers(`HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n${'z'.repeat(65_536)}`),
    );
    const sender = openSender(url);
    await attempt(sender);
    await attempt(sender);
    expect(receiver.connections).toBe(1);
  });

  test('128 KiB of the whole answer: bytes that frame the body count', async () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
    const { url } = await receive(answers(`${head}2\r\nok\r\n1;${'a'.repeat(300_000)}`));
    const sender = openSender(url, { clock: new HandClock() });
    expect(await attempt(sender)).toMatchObject({ class: 'success', status: 200, answer: 'ok' });
  });

  test('128 KiB, counted anew for each request of a connection', async () => {
    const { url, receiver } = await receive(
      answers(`HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n${'z'.repeat(60_000)}`),
    );
    const sender = openSender(url);
    for (let sent = 0; sent < 5; sent++) expect(await attempt(sender)).toMatchObject({ status: 200 });
    expect(receiver.connections).toBe(1);
  });

  test.each([
    [200, 'success'],
    [500, 'temporary'],
  ])('1 s after the headers of a %i', async (status, expected) => {
    const clock = new CountingClock();
    const { url, receiver } = await receive(answers(`HTTP/1.1 ${status} X\r\nContent-Length: 100\r\n\r\nslow`));
    let outcome: Outcome | undefined;
    void attempt(openSender(url, { clock })).then((result) => {
      outcome = result;
    });
    await until(() => receiver.requests.length === 1);
    const closed = receiver.firstClosed();
    // When the headers come in, the deadline for the body takes the place of theirs.
    await until(() => clock.begun === 2);
    expect(clock.pending).toBe(1);
    clock.advance(999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(outcome).toBe(undefined);
    clock.advance(10);
    await until(() => outcome !== undefined);
    expect(outcome).toMatchObject({ class: expected, status, answer: 'slow' });
    await closed;
  });

  test('and then no timer is left, of what was answered, of what failed, and of what a close ended', async () => {
    const clock = new HandClock();
    const { url } = await receive(answers(OK));
    for (const to of [url, 'http://127.0.0.1:9/']) {
      // A timer that goes on would have it done twice.
      await attempt(openSender(to, { clock }));
      expect(clock.pending).toBe(0);
    }
    const hanging = await receive(() => undefined);
    const sender = openSender(hanging.url, { clock });
    const cut = attempt(sender);
    await until(() => hanging.receiver.requests.length === 1);
    await sender.close();
    expect(await cut).toMatchObject({ error: 'aborted' });
    expect(clock.pending).toBe(0);
  });

  test('where it breaks off: the status decides', async () => {
    const { url } = await receive(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart', () =>
        setImmediate(() => socket.resetAndDestroy()),
      );
    });
    expect(await attempt(openSender(url))).toMatchObject({ class: 'success', status: 200, error: null });
  });
});

describe('closing', () => {
  test('ends what is under way, and what waits, with a call each', async () => {
    const { url, receiver } = await receive(() => {});
    const sender = openSender(url, { connections: 2 });
    const results = Array.from({ length: 4 }, () => attempt(sender));
    await until(() => receiver.requests.length === 2);
    const closed = receiver.requests.map(({ socket }) => once(socket, 'close'));
    await sender.close();
    expect((await Promise.all(results)).map(({ error }) => error)).toEqual(Array(4).fill('aborted'));
    await Promise.all(closed);
    expect(receiver.requests).toHaveLength(2);
  });

  test('closes idle connections, and may be asked for twice', async () => {
    const { url, receiver } = await receive(answers(OK));
    const sender = openSender(url);
    await attempt(sender);
    const closed = receiver.firstClosed();
    await Promise.all([sender.close(), sender.close()]);
    await closed;
    await sender.close();
    expect([receiver.requests.length, receiver.connections]).toEqual([1, 1]);
  });

  test('a response whose status is in counts', async () => {
    const clock = new CountingClock();
    const { url } = await receive(answers('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nslow'));
    const sender = openSender(url, { clock });
    const result = attempt(sender);
    await until(() => clock.begun === 2);
    await sender.close();
    expect(await result).toMatchObject({ class: 'success', status: 200 });
  });

  test('what is sent afterwards is given up', async () => {
    const { url, receiver } = await receive(answers(OK));
    const sender = openSender(url);
    await sender.close();
    expect(await attempt(sender)).toMatchObject({ class: 'temporary', error: 'aborted' });
    expect(receiver.connections).toBe(0);
  });
});

test('no more connections than allowed, and everything is sent', async () => {
  const { url, receiver } = await receive(({ socket }) => setImmediate(() => socket.write(OK)));
  const sender = openSender(url, { connections: 3 });
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => attempt(sender)));
  expect(outcomes.every(({ status }) => status === 200)).toBe(true);
  expect([receiver.requests.length, receiver.connections]).toEqual([50, 3]);
});

test('a caller that is told may send again at once, also after an error', async () => {
  const { url, receiver } = await receive(({ socket, connection }) => {
    if (connection % 2 === 0) socket.resetAndDestroy();
    else socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  const sender = openSender(url, { connections: 1 });
  const statuses: (number | null)[] = [];
  await new Promise<void>((resolve) => {
    const next = ({ status }: Outcome): void => {
      statuses.push(status);
      if (statuses.length === 10) resolve();
      else sender.send({ body: BODY, sourceId: 'src_1', messageId: 'm-1', userId: 'u-1' }, next);
    };
    sender.send({ body: BODY, sourceId: 'src_1', messageId: 'm-1', userId: 'u-1' }, next);
  });
  expect(statuses).toEqual([200, null, 200, null, 200, null, 200, null, 200, null]);
  expect(receiver.requests).toHaveLength(10);
});
