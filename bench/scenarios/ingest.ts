import type { Bench } from '../bench.ts';
import { cpuMicros } from '../figures.ts';
import { load, memory, notes } from '../measure.ts';
import { startProduct } from '../product.ts';
import type { Scenario } from './scenario.ts';

export const ingest: Scenario = {
  name: 'ingest',
  title: 'Ingest alone',
  about: `Accepted durably, with no destination connected: the rate at which a 200 can be given. The latency is that of
the answer, at full load.`,
  async run(bench) {
    await measure(bench, 1, 'Millrace, single calls, 64 connections');
    await measure(bench, 100, 'Millrace, batches of 100, 16 connections');
  },
};

async function measure(bench: Bench, callsPerRequest: number, what: string): Promise<void> {
  const { seconds, warmSeconds } = bench.options;
  await bench.withFolder(async (folder) => {
    const product = await startProduct(bench, folder);
    const { writeKey } = await product.createSource();
    const target = { port: product.port, writeKeys: [writeKey], callsPerRequest };
    await load(bench, { ...target, seconds: warmSeconds });
    const before = product.usage();
    const result = await load(bench, { ...target, seconds });
    const usage = product.usage();
    bench.figures.record({
      id: `ingest/${callsPerRequest}/product`,
      what,
      perSecond: result.accepted / result.seconds,
      cpuMicros: cpuMicros(before, usage, result.accepted),
      p50: result.answerP50,
      p99: result.answerP99,
      ...memory(usage),
      note: notes(result),
    });
    await product.stop();
  });
}
