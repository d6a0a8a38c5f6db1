import type { Bench } from '../bench.ts';
import { type Load, load, memory, notes } from '../measure.ts';
import { type Product, type Source, startProduct } from '../product.ts';
import type { Scenario } from './scenario.ts';

const HEALTHY = 18;
const EVENTS_PER_SECOND = 250;
const TURNS = 6;

/** Part of a figure's id, and the time in words. */
type Phase = readonly [id: string, when: string];
const AT_FIRST: Phase = ['-at-first', 'at first'];
const AFTER_THAT: Phase = ['', 'after that'];

export const neighbours: Scenario = {
  name: 'neighbours',
  title: 'Sick neighbours',
  about: `One source, ${EVENTS_PER_SECOND} events/s, ${HEALTHY} destinations that answer at once; and the same with two more,
one that hangs and one that answers 500 for ever. The latency is that of the ${HEALTHY}. Two processes, loaded in turn,
${TURNS} times each, so that changes of the machine meet both; the medians are shown. \`At first\` is the time before that, when the
one that answers 500 is still called for every event; after that its breaker has opened (nothing succeeded for 10 s). RSS
at the beginning and at the end tells whether memory stays flat.`,
  async run(bench) {
    await bench.withFolder((one) =>
      bench.withFolder(async (other) => {
        const sides = [
          await open(bench, one, 'without', `${HEALTHY} destinations`),
          await open(bench, other, 'with', `the same ${HEALTHY} beside one that hangs and one that answers 500`),
        ] as const;
        const { seconds, quick } = bench.options;
        await measure(bench, sides[0], AT_FIRST, seconds * 2);
        await connect(sides[1], ['/hang', '/error']);
        await measure(bench, sides[1], AT_FIRST, seconds * 2);
        for (let turn = 0; turn < (quick ? 1 : TURNS); turn++)
          for (const side of sides) await measure(bench, side, AFTER_THAT, seconds);
      }),
    );
  },
};

interface Side {
  readonly id: string;
  readonly what: string;
  readonly product: Product;
  readonly source: Source;
  readonly load: Omit<Load, 'seconds'>;
}

/** A process with its healthy destinations, warm. */
async function open(bench: Bench, folder: string, id: string, what: string): Promise<Side> {
  const product = await startProduct(bench, folder);
  const source = await product.createSource();
  const { port } = product;
  const steady = { port, writeKeys: [source.writeKey], callsPerRequest: 1, perSecond: EVENTS_PER_SECOND };
  const side = { id, what, product, source, load: steady };
  await connect(
    side,
    Array.from({ length: HEALTHY }, (_, i) => `/ok/${i}`),
  );
  // Few events a second, so the compilers take longer than elsewhere.
  await load(bench, { ...steady, seconds: bench.options.seconds });
  return side;
}

async function connect({ product, source }: Side, paths: readonly string[]): Promise<void> {
  for (const path of paths) await product.createDestination([source], [path]);
}

async function measure(bench: Bench, side: Side, [phase, when]: Phase, seconds: number): Promise<void> {
  await bench.receiver.reset();
  const before = side.product.usage();
  const result = await load(bench, { ...side.load, seconds });
  const { p50, p99, hung, error } = await bench.receiver.settledStats();
  bench.figures.record({
    id: `neighbours/${side.id}${phase}/product`,
    what: `${side.what}, ${when}`,
    p50: p50 / 1000,
    p99: p99 / 1000,
    ...memory(side.product.usage()),
    note: notes(
      result,
      before ? `RSS ${Math.round(before.rssMb)} MB at the beginning` : '',
      hung + error > 0 ? `${hung} requests hung, ${error} were answered 500` : '',
    ),
  });
}
