import { setTimeout as sleep } from 'node:timers/promises';
import type { PeopleStatus } from '../../packages/server/src/admin/contract.ts';
import type { Bench } from '../bench.ts';
import { copyCrowd } from '../crowd-folder.ts';
import { cpuMicros } from '../figures.ts';
import { caughtUp, load, memory, notes } from '../measure.ts';
import { type Product, type Source, startProduct } from '../product.ts';
import type { Scenario } from './scenario.ts';

/** Live updating is to keep this rate. */
const KEPT = 5_000;
/** So much is sent, so that the moment at the end, in which the last calls are told, does not count against it. */
const STEADY = 1.05 * KEPT;
const POLL_MS = 50;
/** Longest wait for what is under way to end, seconds. */
const REST_WITHIN = 600;

export const people: Scenario = {
  name: 'people',
  title: 'People',
  about: `Profiles, fifty audiences and twenty computed traits beside deliveries (\`bench/crowd.ts\`, \`bench/crowd-definitions.ts\`):
persons with ten events each, spread over 90 days; sliding windows of an hour, a week and a month, counts, properties, traits
of persons and companies, audiences that ask about others. Live calls come in batches of 100, in visits of five calls that
20,000 calls of others lie between. One endpoint is sent every call, another what audiences and traits say. *Until all is told*:
the clock stops when every call is delivered, taken in and decided, and every identify call that follows from it delivered;
events are the calls that came in. *Taking turns*: the same load to one service that knows no person and one that knows the crowd,
and to the latter while it computes a new audience over everybody; the ratio is that of deliveries alone, to the one that knows
no person, then to the one that computes nothing. What is computed about persons yields to deliveries, and catches up after them.`,
  async run(bench) {
    const { people: persons } = bench.options;
    await bench.withFolder(async (folder) => {
      await copyCrowd(bench, persons, folder);
      const crowd = await startCrowd(bench, folder);
      const size = `${persons.toLocaleString('en')} persons`;
      await steadily(bench, crowd, size);
      await untilAllIsTold(bench, crowd, size);
      await computation(bench, crowd, size);
      await takingTurns(bench, crowd);
      await crowd.product.stop();
    });
  },
};

/** A service with a source whose calls are delivered, and perhaps a destination of all that audiences and traits say. */
interface World {
  readonly product: Product;
  readonly source: Source;
  readonly calls: string;
  readonly told: string | null;
  readonly persons: number;
}

async function startCrowd(bench: Bench, folder: string): Promise<World> {
  const world = await startEmpty(bench, folder);
  const { product } = world;
  const sources = await product.ask<{ items: { id: string; sentBy?: string | null }[] }>(
    'GET',
    '/api/sources?limit=500',
  );
  const own = sources.items.filter(({ sentBy }) => typeof sentBy === 'string');
  const told = await product.createDestination(own, ['/ok/told']);
  // What came due meanwhile is decided and told first.
  await atRest({ ...world, told });
  return { ...world, told };
}

async function startEmpty(bench: Bench, folder: string): Promise<World> {
  const product = await startProduct(bench, folder);
  const source = await product.createSource();
  const calls = await product.createDestination([source], ['/ok']);
  return { product, source, calls, told: null, persons: bench.options.people };
}

/** Whether the rate is kept, how far it lags behind, and what it costs. */
async function steadily(bench: Bench, world: World, size: string): Promise<void> {
  const { product, told } = world;
  await bench.receiver.reset();
  const before = product.usage();
  const toldBefore = await toldBy(product, told);
  const seconds = bench.options.seconds * 5;
  const lags: number[] = [];
  const watch = new AbortController();
  const watched = watchLag(product, lags, watch.signal);
  const result = await load(bench, { ...loadOf(world), perSecond: STEADY, seconds });
  watch.abort();
  await watched;
  const { lag, outbox } = await statusOf(product);
  const loadedAt = performance.now();
  await atRest(world);
  const rest = (performance.now() - loadedAt) / 1000;
  const stats = await bench.receiver.settledStats();
  const usage = product.usage();
  const messages = ((await toldBy(product, told)) - toldBefore) / result.accepted;
  bench.figures.record({
    id: 'people/steady/product',
    what: `${size}, ${STEADY.toLocaleString('en')} events/s`,
    perSecond: result.accepted / (result.seconds + rest),
    cpuMicros: cpuMicros(before, usage, result.accepted),
    p50: stats.p50 / 1000,
    p99: stats.p99 / 1000,
    ...memory(usage),
    note: notes(
      result,
      `${messages.toFixed(2)} identify calls an event`,
      `at most ${Math.max(0, ...lags).toLocaleString('en')} calls not taken in, ${lag.toLocaleString('en')} at the end; ${outbox.toLocaleString('en')} messages in the outbox, all told ${rest.toFixed(1)} s later`,
    ),
  });
}

async function untilAllIsTold(bench: Bench, world: World, size: string): Promise<void> {
  const { product, told } = world;
  const before = product.usage();
  const toldBefore = await toldBy(product, told);
  const startedAt = performance.now();
  const result = await load(bench, { ...loadOf(world), seconds: bench.options.seconds * 2 });
  await atRest(world);
  const took = (performance.now() - startedAt) / 1000;
  const usage = product.usage();
  const messages = ((await toldBy(product, told)) - toldBefore) / result.accepted;
  bench.figures.record({
    id: 'people/told/product',
    what: `${size}, as fast as it goes, until all is told`,
    perSecond: result.accepted / took,
    cpuMicros: cpuMicros(before, usage, result.accepted),
    ...memory(usage),
    note: notes(result, `${messages.toFixed(2)} identify calls an event`),
  });
}

/** The first computation of one more audience, with nothing else to do and at the steady rate. */
async function computation(bench: Bench, world: World, size: string): Promise<void> {
  const alone = await compute(world, 50);
  bench.figures.record({
    id: 'people/compute/product',
    what: `${size}, one audience computed, nothing else`,
    seconds: alone.seconds,
    ...memory(world.product.usage()),
    note: `${alone.size.toLocaleString('en')} members`,
  });
  await atRest(world);
  await bench.receiver.reset();
  const loading = load(bench, { ...loadOf(world), perSecond: KEPT, seconds: Math.max(10, alone.seconds * 3) });
  const beside = await compute(world, 60);
  await loading;
  const stats = await bench.receiver.settledStats();
  bench.figures.record({
    id: 'people/compute-beside/product',
    what: `${size}, one audience computed beside ${KEPT.toLocaleString('en')} events/s`,
    seconds: beside.seconds,
    p50: stats.p50 / 1000,
    p99: stats.p99 / 1000,
    ...memory(world.product.usage()),
    note: `${beside.size.toLocaleString('en')} members`,
  });
  await atRest(world);
}

async function takingTurns(bench: Bench, crowd: World): Promise<void> {
  await bench.withFolder(async (folder) => {
    const empty = await startEmpty(bench, folder);
    for (const world of [empty, crowd]) await deliver(bench, world, bench.options.warmSeconds);
    for (let round = 0; round < bench.options.rounds; round++) {
      await record('nobody', 'Taking turns: a service that knows no person', empty);
      await record('crowd', 'Taking turns: the one that knows the crowd', crowd, 'people/nobody/product');
      const audience = await create(crowd, 70 + round);
      await record(
        'computing',
        'Taking turns: while it computes an audience',
        crowd,
        'people/crowd/product',
        async () => {
          const { state } = await crowd.product.ask<Audience>('GET', `/api/audiences/${audience}`);
          return state === 'live' ? 'the computation was over before the load' : '';
        },
      );
      await live(crowd, audience);
      await crowd.product.ask('DELETE', `/api/audiences/${audience}`);
      await atRest(crowd);
    }
    await empty.product.stop();

    async function record(
      id: string,
      what: string,
      world: World,
      against?: string,
      remark: () => Promise<string> = async () => '',
    ): Promise<void> {
      const perSecond = await deliver(bench, world, bench.options.seconds);
      const ratioTo = against === undefined ? {} : { against };
      bench.figures.record({ id: `people/${id}/product`, what, perSecond, ...ratioTo, note: await remark() });
    }
  });
}

/** Deliveries per second, until what came in is delivered: all other work goes on after it. */
async function deliver(bench: Bench, { product, calls, ...world }: World, seconds: number): Promise<number> {
  const side = { processed: async () => (await product.counts(calls)).processed };
  const before = await side.processed();
  const startedAt = performance.now();
  const { accepted } = await load(bench, { ...loadOf({ product, calls, ...world }), seconds });
  const processed = await caughtUp(side, before + accepted, REST_WITHIN);
  return (processed - before) / ((performance.now() - startedAt) / 1000);
}

function loadOf({ product, source, persons }: World): Parameters<typeof load>[1] {
  return { port: product.port, writeKeys: [source.writeKey], callsPerRequest: 100, seconds: 1, crowd: persons };
}

interface Audience {
  readonly id: string;
  readonly state: string;
  readonly size: number;
}

/** Makes an audience, and waits until each person is evaluated. */
async function compute(world: World, days: number): Promise<{ seconds: number; size: number }> {
  const startedAt = performance.now();
  const id = await create(world, days);
  const { size } = await live(world, id);
  return { seconds: (performance.now() - startedAt) / 1000, size };
}

async function create({ product }: World, days: number): Promise<string> {
  const where = [{ property: 'price', is: { atLeast: 90 } }];
  const definition = { event: { name: 'Product Added', where }, during: { lastDays: days } };
  return (await product.ask<Audience>('POST', '/api/audiences', { name: `Within ${days} days`, definition })).id;
}

async function live({ product }: World, id: string): Promise<Audience> {
  for (;;) {
    const audience = await product.ask<Audience>('GET', `/api/audiences/${id}`);
    if (audience.state === 'live') return audience;
    await sleep(POLL_MS);
  }
}

function statusOf(product: Product): Promise<PeopleStatus> {
  return product.ask<PeopleStatus>('GET', '/api/profiles/status');
}

async function toldBy(product: Product, destination: string | null): Promise<number> {
  return destination === null ? 0 : (await product.counts(destination)).processed;
}

/** Waits until nothing is to be taken in, told or delivered, and the processor has nothing to do. */
async function atRest({ product, calls, told }: World): Promise<void> {
  const until = performance.now() + REST_WITHIN * 1000;
  let cpu = product.usage()?.cpuSeconds ?? 0;
  for (let quiet = false; !quiet; ) {
    if (performance.now() > until) throw new Error(`Not everything was told within ${REST_WITHIN} s`);
    await sleep(POLL_MS * 4);
    const { lag, outbox } = await statusOf(product);
    const waiting = await Promise.all(
      [calls, told].map(async (id) => (id === null ? 0 : (await product.counts(id)).waiting)),
    );
    const now = product.usage()?.cpuSeconds ?? 0;
    quiet = lag === 0 && outbox === 0 && waiting.every((count) => count === 0) && now - cpu < POLL_MS / 1000;
    cpu = now;
  }
}

async function watchLag(product: Product, lags: number[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    lags.push((await statusOf(product)).lag);
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
}
