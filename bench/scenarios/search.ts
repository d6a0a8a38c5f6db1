import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { missingForClusters, startCluster } from '../cluster.ts';
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
  readonly items: readonly { readonly kind: string; readonly id: string }[];
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
      await lookThroughAll(bench, product, EMBEDDED);
      await product.stop();
    });
    for (let round = 0; round < ROUNDS; round++) {
      for (const isBeside of [false, true]) {
        await bench.withFolder(async (folder) => {
          const product = await startProduct(bench, folder);
          await deliver(bench, product, isBeside, EMBEDDED);
          await product.stop();
        });
      }
    }
  },
};

export const clusterSearch: Scenario = {
  name: 'cluster-search',
  title: 'A search of a cluster',
  about: `What *A search through the text of events* measures, on one node of a cluster with one NATS server. What it delivers alone and beside
searches is delivered by the same node, which has all that was sent before.`,
  async run(bench) {
    const missing = await missingForClusters();
    if (missing !== null) return bench.figures.skip(clusterSearch.title, missing);
    const cluster = await startCluster(bench, { replicas: 1 });
    const node = await cluster.node();
    await lookThroughAll(bench, node, CLUSTER);
    for (let round = 0; round < ROUNDS; round++) {
      for (const isBeside of [false, true]) await deliver(bench, node, isBeside, CLUSTER);
    }
    await cluster.stop();
  },
};

/** What is measured, and how its figures begin. */
interface Measured {
  readonly id: string;
  readonly what: string;
}

const EMBEDDED: Measured = { id: 'search', what: 'Millrace' };
const CLUSTER: Measured = { id: 'cluster-search', what: 'one node' };

async function lookThroughAll(bench: Bench, product: Product, measured: Measured): Promise<void> {
  const { port } = product;
  const { writeKey } = await product.createSource();
  await load(bench, { port, writeKeys: [writeKey], callsPerRequest: 100, seconds: 120, events: EVENTS });
  await takenIn(product);
  const bytes = await bytesOfAnEvent(product);
  for (let round = 0; round < bench.options.rounds; round++) await lookThrough(bench, product, bytes, measured);
}

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
  const found = items.find(({ kind }) => kind === 'message');
  const { sent } = await product.ask<{ sent: string }>('GET', `/api/messages/${found?.id}`);
  return Buffer.byteLength(sent);
}

async function lookThrough(bench: Bench, product: Product, bytes: number, { id, what }: Measured): Promise<void> {
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
    id: `${id}/newest/product`,
    what: `${what}, the newest ${NEWEST.toLocaleString('en')}`,
    seconds: (newest.at - began) / 1000,
  });
  bench.figures.record({
    id: `${id}/rest/product`,
    what: `${what}, all before them`,
    perSecond,
    ...memory(product.usage()),
    note: `bodies of ${bytes} bytes: ${Math.round((perSecond * bytes) / 1e6)} MB/s`,
  });
}

async function deliver(bench: Bench, product: Product, isBeside: boolean, { id, what }: Measured): Promise<void> {
  const side = await productSide(product, ['/ok']);
  const ending = new AbortController();
  const searches = isBeside ? searchOn(product, ending.signal) : Promise.resolve(0);
  const figure = await endToEnd(bench, side, 100);
  ending.abort();
  const looked = await searches;
  bench.figures.record({
    id: `${id}/${isBeside ? 'beside' : 'alone'}/product`,
    what: `${what}, end to end, ${isBeside ? 'beside searches' : 'alone'}`,
    ...figure,
    ...(isBeside && { against: `${id}/alone/product`, note: `${looked.toLocaleString('en')} events looked through` }),
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
