import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createServer, type ServerOptions } from './server.ts';

/** A server with one slow route: its handler says when it was entered, and answers when it is let go. */
interface Running {
  readonly app: ReturnType<typeof createServer>;
  readonly port: number;
  readonly entered: Promise<void>;
  letGo(): void;
}

/** More than a connection takes at once. */
const LARGE = 'x'.repeat(20_000_000);

const running: Running[] = [];
const sockets: Socket[] = [];

async function start(options: Partial<ServerOptions> = {}): Promise<Running> {
  const app = createServer({ logger: pino({ level: 'silent' }), trustProxy: false, ...options });
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  app.get('/fast', async () => 'fast');
  app.post('/fast', async () => 'fast');
  const answers = { '/slow': 'slow', '/large': LARGE };
  for (const [path, answer] of Object.entries(answers)) {
    app.get(path, async () => {
      entered.resolve();
      await gate.promise;
      return answer;
    });
  }
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const server = { app, port, entered: entered.promise, letGo: gate.resolve };
  running.push(server);
  return server;
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  // A server that hangs up may reset the connection: every test that cares waits for its end.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Everything the server says until it hangs up. */
async function rest(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  const closed = Promise.withResolvers<void>();
  socket.once('close', () => closed.resolve());
  if (!socket.closed) await closed.promise;
  return text;
}

beforeEach(() => {
  running.length = 0;
  sockets.length = 0;
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const { app, letGo } of running) {
    letGo();
    await app.close();
  }
});

describe('what is no good request', () => {
  test.each([
    ['no HTTP', 'hello there\r\n\r\n', 400],
    ['a header with a NUL', 'GET /fast HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n', 400],
    ['two lengths', 'POST /fast HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    ['a head too large', `GET /fast HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s is refused and hung up on', async (_name, request, status) => {
    const { port } = await start();
    const socket = await open(port);
    socket.write(request);
    const answer = await rest(socket);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ success: false, code: 'invalid_input' });
    expect((await fetch(`http://127.0.0.1:${port}/fast`)).status).toBe(200);
  });

  test.each([
    ['a slow head', 'GET /fast HTTP/1.1\r\nHost:'],
    ['a slow body', 'POST /fast HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{'],
  ])('%s is answered 408', async (_name, request) => {
    const { port } = await start({ requestTimeout: 300 });
    const socket = await open(port);
    socket.write(request);
    expect(await rest(socket)).toMatch(/^HTTP\/1.1 408 /);
  });

  test('a request that was answered before its body came gets no second answer, which the next one would be given', async () => {
    const { port } = await start({ requestTimeout: 300 });
    const socket = await open(port);
    socket.write('POST /unknown HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
    const answers = await rest(socket);
    expect(answers).toMatch(/^HTTP\/1.1 404 /);
    expect(answers.split('HTTP/1.1 ')).toHaveLength(2);
  });

  test('behind a request that waits for its answer, it is not answered in its place', async () => {
    const { port, entered } = await start();
    const socket = await open(port);
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await entered;
    socket.write('no HTTP\r\n\r\n');
    expect(await rest(socket)).toBe('');
  });
});

test('connections that say nothing stop no other, and are closed in the end', async () => {
  const { port } = await start({ requestTimeout: 1500 });
  const idle = await Promise.all(Array.from({ length: 500 }, () => open(port)));
  expect((await fetch(`http://127.0.0.1:${port}/fast`)).status).toBe(200);
  await Promise.all(idle.map(rest));
});

test('of a connection 64 requests wait for their answers at most: one that sends more is cut off, and no more of it is handled', async () => {
  const app = createServer({ logger: pino({ level: 'silent' }), trustProxy: false });
  running.push({ app, port: 0, entered: Promise.resolve(), letGo: () => undefined });
  let handled = 0;
  app.get('/', async () => {
    handled += 1;
    return 'answer';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const pipeline = (requests: number, last: string): string =>
    `${'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests - 1)}GET / HTTP/1.1\r\nHost: x\r\n${last}\r\n`;

  const good = await open(port);
  // Each answer makes room for another request.
  for (let time = 0; time < 3; time += 1) {
    good.write(pipeline(64, 'X-A: 1\r\n'));
    for (let text = ''; (text.match(/answer/g)?.length ?? 0) < 64; ) text += String((await once(good, 'data'))[0]);
  }
  expect(handled).toBe(192);
  const bad = await open(port);
  bad.write(pipeline(2_000, ''));
  await rest(bad);
  expect(handled).toBe(192 + 64);
});

describe('close', () => {
  test('waits for a handler whose client has gone away, where its routes are watched', async () => {
    const app = createServer({ logger: pino({ level: 'silent' }), trustProxy: false });
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const steps: string[] = [];
    await app.register(async (scope) => {
      scope.handlers.watch(scope);
      scope.get('/watched', async () => {
        entered.resolve();
        await gate.promise;
        steps.push('handled');
        return 'late';
      });
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const socket = await open((app.server.address() as AddressInfo).port);
    socket.write('GET /watched HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await entered.promise;
    socket.destroy();
    const closing = app.close().then(() => steps.push('closed'));
    await once(app.server, 'close');
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    expect(steps).toEqual([]);
    gate.resolve();
    await closing;
    expect(steps).toEqual(['handled', 'closed']);
  });

  test('waits for requests under way, and for nothing else', async () => {
    const { app, port, entered, letGo } = await start({ closeTimeout: 60_000 });
    const silent = await open(port);
    const idle = await open(port);
    idle.write('GET /fast HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    const answer = fetch(`http://127.0.0.1:${port}/slow`).then((response) => response.text());
    await entered;
    let closed = false;
    const closing = app.close().then(() => {
      closed = true;
    });
    await Promise.all([rest(silent), rest(idle)]);
    const late = connect(port, '127.0.0.1');
    sockets.push(late);
    const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    expect(closed).toBe(false);
    letGo();
    expect(await answer).toBe('slow');
    await closing;
  });

  test('drops a connection whose last answer goes out meanwhile', { timeout: 20_000 }, async () => {
    const { app, port, entered, letGo } = await start({ closeTimeout: 60_000 });
    const [idle, slow] = [await open(port), await open(port)];
    idle.write('GET /fast HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    slow.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await entered;
    const closing = app.close();
    await rest(idle);
    letGo();
    expect(await rest(slow)).toMatch(/slow$/);
    await closing;
  });

  test('lets an answer go out whole to a client that reads slowly', async () => {
    const { app, port, entered, letGo } = await start({ closeTimeout: 60_000 });
    const slow = await open(port);
    slow.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await entered;
    const closing = app.close();
    letGo();
    let text = '';
    for await (const chunk of slow) {
      text += String(chunk);
      await setTimeout(1);
    }
    expect(text.endsWith(LARGE)).toBe(true);
    await closing;
  });

  test('is over at its deadline', async () => {
    const { app, port, entered } = await start({ closeTimeout: 50 });
    const stuck = await open(port);
    stuck.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    const half = await open(port);
    half.write('GET /fast HTTP/1.1\r\n');
    await entered;
    const [, ofStuck, ofHalf] = await Promise.all([app.close(), rest(stuck), rest(half)]);
    expect([ofStuck, ofHalf]).toEqual(['', '']);
  });
});
