import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually } from './kit/eventually.ts';
import { ask } from './kit/http.ts';
import { Raw } from './kit/raw.ts';
import { receive } from './kit/receiver.ts';
import { type Service, startService } from './kit/service.ts';

const WANTED = 10_000;

/** How many files this process may still open, with some left for everything else; the service inherits the limit. */
function room(): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  const limit = soft === undefined ? Number.MAX_SAFE_INTEGER : Number(soft);
  return Math.max(0, limit - readdirSync('/proc/self/fd').length - 200);
}

async function delivers(service: Service): Promise<void> {
  const receiver = await receive();
  const source = await service.source();
  await service.destination(source, receiver.url());
  for (let n = 0; n < 20; n++) await service.accept(source);
  await receiver.waitFor(20);
}

test('10,000 idle connections stop nothing', { timeout: 60_000 }, async () => {
  const service = await startService({ MILLRACE_LOG_LEVEL: 'info' });
  const count = Math.min(WANTED, room());
  if (count < WANTED)
    process.stderr.write(`\n!!! ${count} idle connections instead of ${WANTED}: raise "ulimit -n" to 12000.\n\n`);
  const idle: Raw[] = [];
  while (idle.length < count) {
    const some = Array.from({ length: Math.min(500, count - idle.length) }, () => new Raw(service.url));
    await Promise.all(some.map((raw) => raw.connected()));
    idle.push(...some);
  }
  // Some of them have begun a request and say no more.
  for (const raw of idle.slice(0, 1_000))
    raw.write('POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 400000\r\n\r\n{"batch":[');
  await delivers(service);
  const open = idle.filter(({ socket }) => !socket.closed).length;
  expect(open).toBeGreaterThan(count * 0.9);
  const descriptors = (): number => readdirSync(`/proc/${service.pid}/fd`).length;
  expect(descriptors()).toBeGreaterThan(count * 0.9);
  for (const raw of idle) raw.destroy();
  await eventually(descriptors, (left) => left < 200);
  await delivers(service);
});

test('slow bodies and slow heads (slowloris) delay no other request, and a stop does not wait for them', {
  timeout: 60_000,
}, async () => {
  const service = await startService({ MILLRACE_LOG_LEVEL: 'info' });
  const slow = Array.from({ length: 300 }, () => new Raw(service.url));
  await Promise.all(slow.map((raw) => raw.connected()));
  const head = 'POST /v1/track HTTP/1.1\r\nHost: x\r\nContent-Length: 200\r\n';
  for (const [n, raw] of slow.entries()) raw.write(n % 2 === 0 ? head : `${head}\r\n`);
  const drip = setInterval(() => {
    for (const [n, raw] of slow.entries()) if (raw.socket.writable) raw.write(n % 2 === 0 ? 'X-A: 1\r\n' : 'x');
  }, 500);
  try {
    for (let n = 0; n < 3; n++) await delivers(service);
    // A head has 10 s: those that drip theirs are cut off, and told why.
    await slow[0]?.closed;
    expect(slow[0]?.text).toMatch(/^HTTP\/1\.1 408 /);
    await delivers(service);
    expect((await service.stop()).code).toBe(0);
  } finally {
    clearInterval(drip);
  }
});

test.each(['/api/invites/accept', '/v1/batch', '/v1/unknown'])(
  'bodies that never end take a bounded memory: POST %s',
  async (path) => {
    const service = await startService({ MILLRACE_LOG_LEVEL: 'info' });
    const taken = (): number =>
      Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]);
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500000\r\n\r\n`;
    const before = taken();
    for (let n = 0; n < 500; n += 50) {
      const some = Array.from({ length: 50 }, () => new Raw(service.url));
      await Promise.all(some.map((raw) => raw.connected()));
      for (const raw of some) raw.write(`${head}${' '.repeat(499_999)}`);
      // What a refused client still sends has gone when its connection ends.
      await Promise.all(
        some.map((raw) =>
          raw.socket.writableNeedDrain ? Promise.race([once(raw.socket, 'drain'), raw.closed]) : null,
        ),
      );
    }
    for (let n = 0; n < 3; n++) expect((await ask(`${service.url}/health/live`)).status).toBe(200);
    // They sent 250 MB.
    expect((taken() - before) / 1_024).toBeLessThan(200);
  },
);
