import type { Bench } from '../bench.ts';
import { load, memory, notes } from '../measure.ts';
import { startProduct } from '../product.ts';
import type { Scenario } from './scenario.ts';

const HEALTHY = 18;
const EVENTS_PER_SECOND = 250;

/** Part of a figure's id, and the time in words. */
const PHASES = [
  ['-at-first', 'at first'],
  ['', 'after that'],
] as const;

export const neighbours: Scenario = {
  name: 'neighbours',
  title: 'Sick neighbours',
  about: `One source, ${EVENTS_PER_SECOND} events/s, ${HEALTHY} destinations that answer at once; then the same with two more,
one that hangs and one that answers 500 for ever. The latency is that of the ${HEALTHY}. Measured in turn, each in a fresh
process, and twice in each: at the beginning, when the one that answers 500 is still called for every event, and after that,
when its breaker has opened (nothing succeeded for 10 s). RSS at the beginning and at the end tells whether memory stays flat.`,
  async run(bench) {
    for (let round = 0; round < bench.options.rounds; round++) {
      await measure(bench, 'without', `${HEALTHY} destinations`, []);
      await measure(bench, 'with', `the same ${HEALTHY} beside one that hangs and one that answers 500`, [
        '/hang',
        '/error',
      ]);
    }
  },
};

async function measure(bench: Bench, id: string, what: string, sick: readonly string[]): Promise<void> {
  const { seconds, warmSeconds } = bench.options;
  await bench.withFolder(async (folder) => {
    const product = await startProduct(bench, folder);
    const source = await product.createSource();
    for (let i = 0; i < HEALTHY; i++) await product.createDestination([source], [`/ok/${i}`]);
    for (const path of sick) await product.createDestination([source], [path]);
    const steady = {
      port: product.port,
      writeKeys: [source.writeKey],
      callsPerRequest: 1,
      perSecond: EVENTS_PER_SECOND,
    };
    await load(bench, { ...steady, seconds: warmSeconds });
    for (const [phase, when] of PHASES) {
      await bench.receiver.reset();
      const before = product.usage();
      const result = await load(bench, { ...steady, seconds: seconds * 2 });
      const { p50, p99, hung, error } = await bench.receiver.settledStats();
      bench.figures.record({
        id: `neighbours/${id}${phase}/product`,
        what: `${what}, ${when}`,
        p50: p50 / 1000,
        p99: p99 / 1000,
        ...memory(product.usage()),
        note: notes(
          result,
          before ? `RSS ${Math.round(before.rssMb)} MB at the beginning` : '',
          sick.length > 0 ? `${hung} requests hung, ${error} were answered 500` : '',
        ),
      });
    }
    await product.stop();
  });
}
