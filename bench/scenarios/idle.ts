import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { memory } from '../measure.ts';
import { type Product, startProduct } from '../product.ts';
import type { Scenario } from './scenario.ts';

const SETTLE_MS = 3_000;
/** As the page asks again for what it shows. */
const PAGE_EVERY_MS = 5_000;

export const idle: Scenario = {
  name: 'idle',
  title: 'Idle',
  about: `A process that has just started, with one source and one destination and nothing to do; and the same while a page of the
interface is open: its stream of changes, and the overview asked for every 5 s.`,
  async run(bench) {
    await bench.withFolder(async (folder) => {
      const product = await startProduct(bench, folder);
      await product.createDestination([await product.createSource()], ['/ok']);
      await sleep(SETTLE_MS);
      await measure(bench, product, 'alone', 'Millrace, nothing to do');
      const closed = new AbortController();
      const page = open(product, closed.signal);
      await measure(bench, product, 'page', 'Millrace, a page is open');
      closed.abort();
      await page;
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

/** What an open page asks for, until the signal aborts. */
async function open(product: Product, signal: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${product.token}` };
  const stream = await fetch(`http://127.0.0.1:${product.port}/api/watch`, { headers, signal });
  const read = stream.text().catch(() => '');
  while (!signal.aborted) {
    await product.ask('GET', '/api/overview');
    await sleep(PAGE_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  await read;
}

function threads(pid: number): string {
  try {
    return `${/^Threads:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]} threads`;
  } catch {
    // There is no /proc.
    return '';
  }
}
