import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { takeRawBodies } from './raw-body.ts';
import { createServer } from './server.ts';

test('of bodies that are not answered no more is kept than there is room for: others are refused, and a client that goes away makes room', async () => {
  const app = createServer({ logger: pino({ level: 'silent' }), trustProxy: false, bodies: 150 });
  onTestFinished(() => app.close());
  const waiting: (() => void)[] = [];
  const codes: string[] = [];
  const arrived = { now: (): void => undefined };
  await app.register(async (scope) => {
    takeRawBodies(scope, (code) => codes.push(code));
    scope.options('/', async () => null);
    scope.post('/', { bodyLimit: 100 }, async (asked) => {
      const { length } = asked.body as Uint8Array;
      const release = scope.bodies.take(asked);
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        arrived.now();
      });
      release();
      return { length };
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const post = (length: number): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x'.repeat(length) });
  const arrival = (): Promise<void> =>
    new Promise((resolve) => {
      arrived.now = resolve;
    });

  // What no route takes over is let go of with the response.
  for (let i = 0; i < 5; i++) {
    const asked = await fetch(`http://127.0.0.1:${port}/`, { method: 'OPTIONS', body: 'x'.repeat(100) });
    expect(asked.status).toBe(200);
    await asked.text();
  }

  // One that never ends its body holds 100 bytes until it is gone.
  const half = request({ port, method: 'POST', headers: { 'content-length': 200 } });
  half.on('error', () => undefined);
  const read = firstPiece(app.server);
  half.write('x'.repeat(100));
  await read;
  const refused = await post(60);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.text()).toContain('overloaded');
  expect(codes).toEqual(['overloaded']);
  half.destroy();

  const first = arrival();
  const taken = (async () => {
    for (;;) {
      const answer = await post(100);
      if (answer.status !== 503) return answer;
    }
  })();
  await first;
  expect((await post(60)).status).toBe(503);
  const second = arrival();
  waiting[0]?.();
  expect((await taken).status).toBe(200);
  const next = post(100);
  await second;
  waiting[1]?.();
  expect(await (await next).json()).toEqual({ length: 100 });
});

test('the room is one for all scopes, and a path that no route has is answered before its body is read', async () => {
  const app = createServer({ logger: pino({ level: 'silent' }), trustProxy: false, bodies: 150 });
  onTestFinished(() => app.close());
  for (const path of ['/one', '/two']) {
    await app.register(async (scope) => {
      scope.post(path, async ({ body }) => ({ length: (body as Buffer).length }));
    });
  }
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const post = (path: string, length: number): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: 'x'.repeat(length) });
  const half = (path: string): ClientRequest => {
    const sent = request({ port, path, method: 'POST', headers: { 'content-length': 200 } });
    onTestFinished(() => void sent.destroy());
    sent.on('error', () => undefined);
    sent.write('x'.repeat(100));
    return sent;
  };

  expect(await (await post('/two', 150)).json()).toEqual({ length: 150 });
  expect((await post('/two', 151)).status).toBe(503);
  const [answer] = (await once(half('/unknown'), 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(404);
  expect((await post('/two', 150)).status).toBe(200);
  const read = firstPiece(app.server);
  half('/one');
  await read;
  expect((await post('/two', 60)).status).toBe(503);
});

describe('pieces', () => {
  /** A server that answers with the body, and a connection that has begun a body in chunks. */
  async function chunked(): Promise<{ readonly socket: Socket; readonly answer: Promise<string> }> {
    const app = createServer({ logger: pino({ level: 'silent' }), trustProxy: false, bodies: 512_000 });
    onTestFinished(() => app.close());
    app.post('/', { bodyLimit: 512_000 }, async ({ body }) => body);
    await app.listen({ port: 0, host: '127.0.0.1' });
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    // It may be reset while it still sends.
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    const answer = new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (data) => {
        text += String(data);
      });
      socket.on('close', () => resolve(text));
    });
    socket.write('POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n');
    return { socket, answer };
  }

  test.each([
    ['the largest body in 64,000 of 8 bytes', Array.from({ length: 64_000 }, () => 8)],
    ['some of other sizes', [1, 70_000, 2, 3, 200_000, 65_536, 1]],
    ['one', [512_000]],
  ])('%s are put together, in the room of the body', async (_, sizes) => {
    const { socket, answer } = await chunked();
    const pieces = sizes.map((size, n) => String.fromCharCode(97 + (n % 26)).repeat(size));
    for (const piece of pieces) socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    socket.write('0\r\n\r\n');
    const [head, ...body] = (await answer).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 200 /);
    expect(body.join() === pieces.join('')).toBe(true);
  });

  test('so many that each is next to nothing: refused, and the connection ends', async () => {
    const { socket, answer } = await chunked();
    const bytes = '1\r\nX\r\n'.repeat(1_000);
    const more = (): void => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on('drain', more);
    more();
    // A client that goes on sending may lose the answer to the reset that follows it.
    expect(await answer).toMatch(/^(HTTP\/1.1 413 .*more than 65536 pieces|$)/s);
  });
});

/** Resolves when the server has read something of the next request's body. */
function firstPiece(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.once('request', (incoming: IncomingMessage) => incoming.once('data', () => resolve()));
  });
}
