import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { attempt, openSender } from '../../../../test/attempts.ts';
import { HandClock } from '../../../../test/hand-clock.ts';
import { answers, OK, receive, ScriptedReceiver, until } from '../../../../test/scripted-receiver.ts';
import { SEND_ERRORS } from '../core/send-error.ts';
import type { LookupAll } from './look-up.ts';
import { Reach } from './reach.ts';

/** Writes each piece when the one before is written. */
function writeInTurn(socket: Socket, [piece, ...rest]: readonly string[]): void {
  if (piece !== undefined) socket.write(piece, () => writeInTurn(socket, rest));
}

test('headers of 60 KB are read, and their status counts', async () => {
  const cookies = `Set-Cookie: a=${'x'.repeat(4_000)}\r\n`.repeat(15);
  const { url } = await receive(answers(`HTTP/1.1 404 Not Found\r\n${cookies}Content-Length: 0\r\n\r\n`));
  expect(await attempt(openSender(url))).toMatchObject({ class: 'permanent', status: 404 });
});

describe('without response headers in time', () => {
  test('the attempt ends, the connection is closed and the next one is whole', async () => {
    const clock = new HandClock();
    const { url, receiver } = await receive(({ socket, connection }) => {
      if (connection > 1) socket.write(OK);
    });
    const sender = openSender(url, { clock, timeout: 5_000 });
    const first = attempt(sender);
    await until(() => receiver.requests.length === 1);
    const closed = receiver.firstClosed();
    clock.advance(4_999);
    expect(await Promise.race([first, new Promise((resolve) => setImmediate(resolve, 'still waiting'))])).toBe(
      'still waiting',
    );
    clock.advance(10);
    expect(await first).toEqual({
      class: 'temporary',
      status: null,
      error: 'timeout',
      detail: 'No response headers came in time: 5000 ms, DNS and connecting included',
      retryAfter: null,
      answer: null,
      timing: { dns: null, connect: expect.any(Number), tls: null, firstByte: null },
    });
    await closed;
    expect(await attempt(sender)).toMatchObject({ status: 200 });
  });

  test('half a response is none', async () => {
    const clock = new HandClock();
    let halfway = false;
    const { url } = await receive(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Le', () => {
        halfway = true;
      });
    });
    const result = attempt(openSender(url, { clock, timeout: 5_000 }));
    await until(() => halfway);
    clock.advance(5_010);
    expect(await result).toMatchObject({ error: 'timeout' });
  });

  test('a name server that hangs counts too, and its late answer sends nothing', async () => {
    const clock = new HandClock();
    const { url, receiver } = await receive(answers(OK));
    const asked: (() => void)[] = [];
    const lookup: LookupAll = (_hostname, _options, callback) => {
      asked.push(() => callback(null, [{ address: '127.0.0.1', family: 4 }]));
    };
    const sender = openSender(url.replace('127.0.0.1', 'slow.test'), { clock, timeout: 5_000, lookup });
    const first = attempt(sender, Buffer.from('{"n":1}'));
    await until(() => asked.length === 1);
    clock.advance(5_010);
    expect(await first).toMatchObject({
      error: 'timeout',
      detail: 'No response headers came in time: 5000 ms, and no connection was open by then',
    });
    const second = attempt(sender, Buffer.from('{"n":2}'));
    for (const answer of asked) answer();
    expect(await second).toMatchObject({ status: 200 });
    expect(receiver.connections).toBe(1);
    expect(receiver.requests.map(({ text }) => text.split('\r\n\r\n')[1])).toEqual(['{"n":2}']);
  });

  test('one that waited for a connection ends too, and is never sent', async () => {
    const clock = new HandClock();
    const bodies: (string | undefined)[] = [];
    const { url } = await receive(({ text, socket }) => {
      bodies.push(text.split('\r\n\r\n')[1]);
      if (text.endsWith('{"n":3}')) socket.write(OK);
    });
    const sender = openSender(url, { clock, timeout: 5_000, connections: 1 });
    const results = [attempt(sender, Buffer.from('{"n":1}')), attempt(sender, Buffer.from('{"n":2}'))];
    await until(() => bodies.length === 1);
    clock.advance(5_010);
    expect((await Promise.all(results)).map(({ error }) => error)).toEqual(['timeout', 'timeout']);
    expect(await attempt(sender, Buffer.from('{"n":3}'))).toMatchObject({ status: 200 });
    expect(bodies).toEqual(['{"n":1}', '{"n":3}']);
  });

  test.each([
    ['at once', ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n', OK]],
    ['byte by byte', [...`HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${OK}`]],
  ])('`100 Continue` that was not asked for is skipped, %s, and the connection is kept', async (_, pieces) => {
    const { url, receiver } = await receive(({ socket }) => writeInTurn(socket.setNoDelay(), pieces));
    const sender = openSender(url);
    for (const _ of [1, 2]) expect(await attempt(sender)).toMatchObject({ status: 200, answer: 'ok' });
    expect([receiver.requests.length, receiver.connections]).toEqual([2, 1]);
  });

  test('an informational response is none', async () => {
    const clock = new HandClock();
    let told = false;
    const { url } = await receive(({ socket }) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n', () => {
        told = true;
      });
    });
    const result = attempt(openSender(url, { clock, timeout: 5_000 }));
    await until(() => told);
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5_010);
    expect(await result).toMatchObject({ status: null, error: 'timeout' });
  });
});

describe('a peer that fails', () => {
  test.each([
    ['resets', (socket: Socket) => socket.resetAndDestroy(), 'connection_reset'],
    ['closes', (socket: Socket) => socket.end(), 'connection_closed'],
    [
      'closes in the middle of the headers',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nCont'),
      'connection_closed',
    ],
    ['sends garbage', (socket: Socket) => socket.end('220 mail.test ESMTP\r\n'), 'protocol_error'],
    [
      'sends endless headers',
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(100_000)}`),
      'protocol_error',
    ],
    [
      'sends thousands of short headers',
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(5_000)}Content-Length: 0\r\n\r\n`),
      'protocol_error',
    ],
    [
      'sends an endless status line',
      (socket: Socket) => socket.write(`HTTP/1.1 200 ${'a'.repeat(300_000)}`),
      'protocol_error',
    ],
    [
      'sends informational responses without end',
      (socket: Socket) => socket.write('HTTP/1.1 103 E\r\n\r\n'.repeat(20_000)),
      'protocol_error',
    ],
    [
      'switches protocols',
      (socket: Socket) => socket.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      'protocol_error',
    ],
  ] as const)('%s: temporary, and sent once', async (_, fail, error) => {
    const { url, receiver } = await receive(({ socket }) => void fail(socket));
    const outcome = await attempt(openSender(url));
    expect(outcome).toMatchObject({ class: 'temporary', status: null, error, answer: null });
    expect(outcome.detail).not.toBe(null);
    expect(receiver.requests).toHaveLength(1);
  });

  test.each([
    ['099 Odd', 'the status is below 100, or it is 101'],
    ['101 Switching Protocols', 'the status is below 100, or it is 101'],
    ['200 OK\r\nContent-Length: 5\r\nContent-Length: 5', 'a second Content-Length'],
    ['200 OK\r\nContent-Length: 5\r\nno header', 'a line after it that is no header'],
  ])('answers %j: the error says what is wrong', async (head, wrong) => {
    const { url } = await receive(({ socket }) => void socket.end(`HTTP/1.1 ${head}\r\n\r\n`));
    const { error, detail } = await attempt(openSender(url));
    expect([error, detail]).toEqual(['protocol_error', expect.stringContaining(wrong)]);
    expect(detail?.startsWith(SEND_ERRORS.protocol_error.means)).toBe(true);
  });

  test('refuses the connection', async () => {
    const { url, receiver } = await receive(answers(OK));
    await receiver.close();
    expect(await attempt(openSender(url))).toMatchObject({ class: 'temporary', error: 'connection_refused' });
  });

  test('comes back on the same port', async () => {
    const { url, receiver } = await receive(({ socket }) => void socket.resetAndDestroy());
    const sender = openSender(url);
    expect(await attempt(sender)).toMatchObject({ error: 'connection_reset' });
    await receiver.close();
    expect(await attempt(sender)).toMatchObject({ error: 'connection_refused' });
    await new ScriptedReceiver(answers(OK)).listen('127.0.0.1', Number(new URL(url).port));
    expect(await attempt(sender)).toMatchObject({ status: 200 });
  });

  test('has a name that does not resolve', async () => {
    const lookup: LookupAll = (hostname, _options, callback) =>
      callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }), []);
    expect(await attempt(openSender('http://nowhere.test/', { lookup }))).toMatchObject({
      class: 'temporary',
      error: 'dns_failure',
      detail: 'The name could not be resolved: getaddrinfo ENOTFOUND nowhere.test',
    });
  });
});

describe('a connection that was kept', () => {
  test('and closed by the peer in between is not used', async () => {
    const { url, receiver } = await receive(({ socket }) => void socket.end(OK));
    const sender = openSender(url);
    expect(await attempt(sender)).toMatchObject({ status: 200 });
    await receiver.firstClosed();
    expect(await attempt(sender)).toMatchObject({ status: 200 });
    expect([receiver.requests.length, receiver.connections]).toEqual([2, 2]);
  });

  test.each([
    ['closed', (socket: Socket) => socket.end()],
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
  ] as const)('and %s as the next request arrives: sent again on a new one', async (_, fail) => {
    let first = true;
    const { url, receiver } = await receive(({ socket, connection }) => {
      if (connection > 1 || first) socket.write(OK);
      else fail(socket);
      first = false;
    });
    const sender = openSender(url);
    await attempt(sender);
    expect(await attempt(sender)).toMatchObject({ class: 'success', status: 200 });
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });

  test('is excused once', async () => {
    const { url, receiver } = await receive(({ socket }) => {
      if (receiver.requests.length === 1) socket.write(OK);
      else socket.resetAndDestroy();
    });
    const sender = openSender(url);
    await attempt(sender);
    expect(await attempt(sender)).toMatchObject({ error: 'connection_reset' });
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });

  test('and broke off inside the response is not excused', async () => {
    const { url, receiver } = await receive(({ socket }) => {
      if (receiver.requests.length === 1) socket.write(OK);
      else socket.end('HTTP/1.1 200 OK\r\nCont');
    });
    const sender = openSender(url);
    await attempt(sender);
    expect(await attempt(sender)).toMatchObject({ error: 'connection_closed' });
    expect(receiver.requests).toHaveLength(2);
  });
});

describe('the address guard, at connection time', () => {
  const guarded = { reach: new Reach({ allowPrivate: false, isLocal: false }) };

  test.each(['127.0.0.1', '::1'])('refuses %s as it is written', async (host) => {
    const receiver = new ScriptedReceiver(answers(OK));
    const url = await receiver.listen(host);
    expect(await attempt(openSender(url, guarded))).toMatchObject({
      class: 'permanent',
      error: 'address_not_allowed',
      detail: expect.stringContaining('MILLRACE_ALLOW_PRIVATE_URLS'),
    });
    expect(receiver.connections).toBe(0);
  });

  test.each([
    ['a private answer', ['127.0.0.1']],
    ['one private answer among public ones', ['8.8.8.8', '127.0.0.1']],
    ['a mapped answer', ['::ffff:127.0.0.1']],
  ])('refuses %s of the name server', async (_, addresses) => {
    const { url, receiver } = await receive(answers(OK));
    const lookup: LookupAll = (_hostname, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    const outcome = await attempt(openSender(url.replace('127.0.0.1', 'rebound.test'), { ...guarded, lookup }));
    expect(outcome).toMatchObject({ class: 'permanent', error: 'address_not_allowed' });
    expect(outcome.detail).toContain('rebound.test resolves to');
    expect(receiver.connections).toBe(0);
  });

  test('refuses the peer where the answer changed after it was looked at', async () => {
    const { url, receiver } = await receive(answers(OK));
    let looks = 0;
    const changing = {
      family: 4,
      get address(): string {
        return looks++ === 0 ? '8.8.8.8' : '127.0.0.1';
      },
    };
    const lookup: LookupAll = (_hostname, _options, callback) => callback(null, [changing]);
    const sender = openSender(url.replace('127.0.0.1', 'rebound.test'), { ...guarded, lookup });
    expect(await attempt(sender)).toMatchObject({ class: 'permanent', error: 'address_not_allowed' });
    expect(receiver.requests).toHaveLength(0);
  });
});
