import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { takeRawBodies } from './raw-body.ts';
import { createServer } from './server.ts';

test('of bodies that are not answered no more is kept than there is room for: others are refused, and a client that goes away makes room', async () => {
  const app = createServer({ logger: pino({ level: 'silent' }), trustProxy: false });
  onTestFinished(() => app.close());
  const waiting: (() => void)[] = [];
  const codes: string[] = [];
  const arrived = { now: (): void => undefined };
  await app.register(async (scope) => {
    const bodies = takeRawBodies(scope, { limit: 100, most: 150, refused: (code) => codes.push(code) });
    scope.options('/', async () => null);
    scope.post('/', async (asked) => {
      const { length } = asked.body as Uint8Array;
      const release = bodies.take(asked);
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
  const read = new Promise<void>((resolve) => {
    app.server.once('request', (incoming) => incoming.once('data', () => resolve()));
  });
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
