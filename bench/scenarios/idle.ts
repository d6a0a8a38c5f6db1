import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { memory } from '../measure.ts';
import { type Product, startProduct } from '../product.ts';
import type { Scenario } from './scenario.ts';

/** A thread gives back what its start took when it is quiet at one of its looks, which are 10 s apart. */
const SETTLE_MS = 25_000;
/** What the overview watches: the stream asks for each every two seconds. */
const WATCHED = ['/api/overview?last=1h', '/api/loopback', '/api/backups'];

export const idle: Scenario = {
  name: 'idle',
  title: 'Idle',
  about: `A process that started half a minute ago, with one source and one destination and nothing to do; and the same while the stream of changes
is open that the interface's overview opens (\`GET /api/watch\`).`,
  async run(bench) {
    await bench.withFolder(async (folder) => {
      const product = await startProduct(bench, folder);
      await product.createDestination([await product.createSource()], ['/ok']);
      await sleep(SETTLE_MS);
      await measure(bench, product, 'alone', 'Millrace, nothing to do');
      const closed = new AbortController();
      const page = await open(product, closed.signal);
      await measure(bench, product, 'page', 'Millrace, a page is open');
      closed.abort();
      await page.read;
      await product.stop();
    });
  },
};

async function measure(bench: Bench, product: Product, id: string, what: string): Promise<void> {
  const before = product.usage();
  const begun = performance.now();
  await sleep(bench.options.seconds * 2_000);
  const after = product.usage();
  const seconds = (performance.now() - begun) / 1000;
  bench.figures.record({
    id: `idle/${id}/product`,
    what,
    nodePercent: before && after && ((after.cpuSeconds - before.cpuSeconds) / seconds) * 100,
    ...memory(after),
    note: threads(product.pid),
  });
}

/** Opens the stream; what it answers resolves when the signal has aborted. @throws Error when it ends before. */
async function open(product: Product, signal: AbortSignal): Promise<{ readonly read: Promise<void> }> {
  const query = new URLSearchParams(WATCHED.map((path): [string, string] => ['path', path]));
  const headers = { authorization: `Bearer ${product.token}` };
  const stream = await fetch(`http://127.0.0.1:${product.port}/api/watch?${query}`, { headers, signal });
  if (!stream.ok) throw new Error(`GET /api/watch answered ${stream.status}: ${await stream.text()}`);
  const read = stream.text().then(
    () => {
      throw new Error('GET /api/watch ended');
    },
    (error: unknown) => {
      if (!signal.aborted) throw error;
    },
  );
  // It is told where it is waited for.
  read.catch(() => undefined);
  return { read };
}

function threads(pid: number): string {
  try {
    return `${/^Threads:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]} threads`;
  } catch {
    // There is no /proc.
    return '';
  }
}
