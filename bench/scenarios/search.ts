import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { endToEnd, load, memory } from '../measure.ts';
import { type Product, productSide, startProduct } from '../product.ts';
import type { Scenario } from './scenario.ts';

const EVENTS = 300_000;
const NEWEST = 100_000;
const ROUNDS = 5;
const TAKEN_IN_MS = 90_000;
/** It stands in no body, so every one is looked through. */
const NOWHERE = 'a text that no call has';

interface Page {
  readonly next: string | null;
  readonly searchedEvents: number;
  readonly items: readonly { readonly id: string }[];
}

export const search: Scenario = {
  name: 'search',
  title: 'A search through the text of events',
  about: `${EVENTS.toLocaleString('en')} calls of about 1 KB, whose bodies are looked through for a text that none has, page by page over the API, as
the search of the interface does it: the seconds until the newest ${NEWEST.toLocaleString('en')} are looked through, and events a second from there to the
oldest. Then the end-to-end measurement (batches of 100, 1 URL), alone and beside such searches one after the other.`,
  async run(bench) {
    await bench.withFolder(async (folder) => {
      const product = await startProduct(bench, folder);
      const { writeKey } = await product.createSource();
      await load(bench, {
        port: product.port,
        writeKeys: [writeKey],
        callsPerRequest: 100,
        seconds: 120,
        events: EVENTS,
      });
      await takenIn(product);
      const bytes = await bytesOfAnEvent(product);
      for (let round = 0; round < bench.options.rounds; round++) await lookThrough(bench, product, bytes);
      await product.stop();
    });
    for (let round = 0; round < ROUNDS; round++) {
      for (const isBeside of [false, true]) await deliver(bench, isBeside);
    }
  },
};

/** What people/ still takes in of the load would be measured too. */
async function takenIn(product: Product): Promise<void> {
  const until = performance.now() + TAKEN_IN_MS;
  for (;;) {
    const { lag } = await product.ask<{ lag: number }>('GET', '/api/profiles/status');
    if (lag === 0 || performance.now() > until) return;
    await sleep(500);
  }
}

async function bytesOfAnEvent(product: Product): Promise<number> {
  const { items } = await ask(product, 'bench-', null);
  const { sent } = await product.ask<{ sent: string }>('GET', `/api/messages/${items[0]?.id}`);
  return Buffer.byteLength(sent);
}

async function lookThrough(bench: Bench, product: Product, bytes: number): Promise<void> {
  const began = performance.now();
  let events = 0;
  let newest = { events: 0, at: began };
  for (let cursor: string | null = null; ; ) {
    const page: Page = await ask(product, NOWHERE, cursor);
    events += page.searchedEvents;
    if (events >= NEWEST && newest.events === 0) newest = { events, at: performance.now() };
    if (page.next === null) break;
    cursor = page.next;
  }
  const perSecond = ((events - newest.events) * 1000) / (performance.now() - newest.at);
  bench.figures.record({
    id: 'search/newest/product',
    what: `Millrace, the newest ${NEWEST.toLocaleString('en')}`,
    seconds: (newest.at - began) / 1000,
  });
  bench.figures.record({
    id: 'search/rest/product',
    what: 'Millrace, all before them',
    perSecond,
    ...memory(product.usage()),
    note: `bodies of ${bytes} bytes: ${Math.round((perSecond * bytes) / 1e6)} MB/s`,
  });
}

async function deliver(bench: Bench, isBeside: boolean): Promise<void> {
  await bench.withFolder(async (folder) => {
    const product = await startProduct(bench, folder);
    const side = await productSide(product, ['/ok']);
    const ending = new AbortController();
    const searches = isBeside ? searchOn(product, ending.signal) : Promise.resolve(0);
    const figure = await endToEnd(bench, side, 100);
    ending.abort();
    const looked = await searches;
    bench.figures.record({
      id: `search/${isBeside ? 'beside' : 'alone'}/product`,
      what: `Millrace, end to end, ${isBeside ? 'beside searches' : 'alone'}`,
      ...figure,
      ...(isBeside && {
        against: 'search/alone/product',
        note: `${looked.toLocaleString('en')} events looked through`,
      }),
    });
    await side.stop();
  });
}

/** One search after the other until the signal aborts; answers how many events they looked through. */
async function searchOn(product: Product, signal: AbortSignal): Promise<number> {
  let events = 0;
  for (let cursor: string | null = null; !signal.aborted; ) {
    const page: Page = await ask(product, NOWHERE, cursor);
    events += page.searchedEvents;
    cursor = page.next;
  }
  return events;
}

function ask(product: Product, q: string, cursor: string | null): Promise<Page> {
  const query = new URLSearchParams({ q, ...(cursor !== null && { cursor }) });
  return product.ask<Page>('GET', `/api/search?${query}`);
}
