import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import type { DedupeCost } from '../sides/dedupe-index.ts';
import type { Scenario } from './scenario.ts';

export const dedupe: Scenario = {
  name: 'dedupe',
  title: 'The index of message ids',
  about: `The index that tells a duplicate from a new event, by itself (\`bench/sides/dedupe-index.ts\`): microseconds of
elapsed time per new id (looked up, not found, added, sealed to disk), for the first million and the last, and per duplicate.`,
  async run(bench) {
    const { quick, full } = bench.options;
    await measure(bench, quick ? 1_000_000 : 10_000_000);
    if (full) await measure(bench, 100_000_000);
  },
};

async function measure(bench: Bench, ids: number): Promise<void> {
  const cost = await bench.withFolder((folder) =>
    bench.processes.run<DedupeCost>({
      name: 'the index of message ids',
      file: process.execPath,
      args: [join(import.meta.dirname, '../sides/dedupe-index.ts'), folder, String(ids)],
    }),
  );
  bench.figures.record({
    id: `dedupe/${ids}/product`,
    what: `${ids / 1e6} million ids`,
    rssMb: cost.rssMb,
    note: `${cost.firstMicros.toFixed(1)} µs per new id at first, ${cost.lastMicros.toFixed(1)} µs at last; ${cost.duplicateMicros.toFixed(1)} µs per duplicate; longest pause ${Math.round(cost.longestMs)} ms`,
  });
}
