import type { Bench } from '../bench.ts';
import { cpuMicros, type Figure } from '../figures.ts';
import { load, memory, notes } from '../measure.ts';
import { type Product, type Source, startProduct } from '../product.ts';
import { type Side, startStrawMan } from '../side.ts';
import type { Scenario } from './scenario.ts';

export const latency: Scenario = {
  name: 'latency',
  title: 'Latency',
  about: `Milliseconds from the sending of a single call to its receipt by the endpoint, at a steady rate (the load doesn't
wait for answers). 100 destinations are measured twice: each with a source of its own, and all on one source, at a rate
that makes as many deliveries a second. The notes say how long the main thread's event loop was held up at a time, and what
share of the time V8 collected garbage there (both from \`/metrics\`).`,
  async run(bench) {
    for (let round = 0; round < bench.options.rounds; round++) {
      await strawMan(bench);
      await measure(bench, {
        id: 'one',
        what: '5,000 events/s, 1 destination',
        perSecond: 5_000,
        setUp: (product) => sourcesWithDestinations(product, 1, ['/ok']),
      });
    }
    await measure(bench, {
      id: 'hundred-sources',
      what: '5,000 events/s over 100 sources, each with its destination',
      perSecond: 5_000,
      setUp: (product) => sourcesWithDestinations(product, 100, ['/ok']),
    });
    await measure(bench, {
      id: 'hundred-destinations',
      what: '50 events/s, 1 source with 100 destinations (5,000 deliveries/s)',
      perSecond: 50,
      async setUp(product) {
        const source = await product.createSource();
        for (let i = 0; i < 100; i++) await product.createDestination([source], [`/ok/${i}`]);
        return [source];
      },
    });
    for (const [id, first, what] of [
      ['five-urls', '/ok/1', '1,000 events/s, 5 URLs (5,000 deliveries/s)'],
      ['hanging-url', '/hang', '1,000 events/s, 5 URLs of which 1 hangs: the other 4'],
    ] as const) {
      await measure(bench, {
        id,
        what,
        perSecond: 1_000,
        setUp: (product) => sourcesWithDestinations(product, 1, [first, '/ok/2', '/ok/3', '/ok/4', '/ok/5']),
      });
    }
  },
};

interface Case {
  readonly id: string;
  readonly what: string;
  readonly perSecond: number;
  setUp(product: Product): Promise<readonly Source[]>;
}

async function sourcesWithDestinations(product: Product, count: number, urls: readonly string[]): Promise<Source[]> {
  const sources: Source[] = [];
  for (let i = 0; i < count; i++) {
    const source = await product.createSource();
    await product.createDestination([source], urls);
    sources.push(source);
  }
  return sources;
}

async function measure(bench: Bench, { id, what, perSecond, setUp }: Case): Promise<void> {
  await bench.withFolder(async (folder) => {
    const product = await startProduct(bench, folder);
    const sources = await setUp(product);
    const writeKeys = sources.map(({ writeKey }) => writeKey);
    const held = { ...product, writeKeys, heldUp: () => heldUp(product) };
    await record(bench, { id: `latency/${id}/product`, what }, held, perSecond);
    await product.stop();
  });
}

/** The monitor of the event loop is a timer of so many milliseconds, and tells how long after the last one it came. */
const LOOK_MS = 10;

/** Begins to watch the event loop; the answer tells what held it up since. */
async function heldUp(product: Product): Promise<(seconds: number) => Promise<string>> {
  const collected = (metrics: ReadonlyMap<string, number>): number =>
    metrics
      .entries()
      .reduce((sum, [name, s]) => (name.startsWith('nodejs_gc_duration_seconds_sum') ? sum + s : sum), 0);
  const before = collected(await product.metrics());
  return async (seconds) => {
    const metrics = await product.metrics();
    const ms = (of: string): string =>
      Math.max(0, (metrics.get(`nodejs_eventloop_lag_${of}_seconds`) ?? 0) * 1000 - LOOK_MS).toFixed(1);
    const share = (100 * (collected(metrics) - before)) / seconds;
    return `event loop held up: p50 ${ms('p50')} ms, p99 ${ms('p99')} ms, at most ${ms('max')} ms; garbage ${share.toFixed(0)} % of the time`;
  };
}

async function strawMan(bench: Bench): Promise<void> {
  await bench.withFolder(async (folder) => {
    const side = await startStrawMan(bench, folder);
    await record(bench, { id: 'latency/straw-man', what: 'Straw man, 5,000 events/s' }, side, 5_000);
    await side.stop();
  });
}

async function record(
  bench: Bench,
  { id, what }: Pick<Figure, 'id' | 'what'>,
  {
    port,
    writeKeys,
    usage,
    heldUp,
  }: Pick<Side, 'port' | 'writeKeys' | 'usage'> & {
    readonly heldUp?: () => Promise<(seconds: number) => Promise<string>>;
  },
  perSecond: number,
): Promise<void> {
  const { seconds, warmSeconds } = bench.options;
  const steady = { port, writeKeys, callsPerRequest: 1, perSecond, connections: Math.max(64, writeKeys.length) };
  await load(bench, { ...steady, seconds: warmSeconds });
  await bench.receiver.reset();
  const tell = await heldUp?.();
  const before = usage();
  const result = await load(bench, { ...steady, seconds });
  const after = usage();
  const held = (await tell?.(result.seconds)) ?? '';
  const { p50, p99, ok } = await bench.receiver.settledStats();
  bench.figures.record({
    ...{ id, what, cpuMicros: cpuMicros(before, after, result.accepted), p50: p50 / 1000, p99: p99 / 1000 },
    ...memory(after),
    note: notes(result, `${Math.round(ok / result.seconds).toLocaleString('en')} deliveries/s arrived`, held),
  });
}
