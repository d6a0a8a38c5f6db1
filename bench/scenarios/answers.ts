import type { Bench } from '../bench.ts';
import { load, memory, notes } from '../measure.ts';
import { startProduct } from '../product.ts';
import type { Scenario } from './scenario.ts';

/** How many destinations a source has, of how many URLs each, and what it is sent. */
const CASES = [
  { id: 'one', destinations: 1, urls: 1, callsPerRequest: 1, perSecond: 20 },
  { id: 'many', destinations: 100, urls: 5, callsPerRequest: 1, perSecond: 20 },
  { id: 'one-batch', destinations: 1, urls: 1, callsPerRequest: 100, perSecond: 200 },
  { id: 'many-batch', destinations: 40, urls: 1, callsPerRequest: 100, perSecond: 200 },
] as const;

export const answers: Scenario = {
  name: 'answers',
  title: 'Answers beside many deliveries',
  about: `Milliseconds from the sending of a request to its 200, at a steady rate, while what it brought goes to many URLs that answer
at once. 20 single calls a second are 10,000 requests a second where each goes to 500 URLs; 2 batches of 100 a second are 8,000 where
each call goes to 40.`,
  async run(bench) {
    for (const one of CASES) await measure(bench, one);
  },
};

async function measure(bench: Bench, { id, destinations, urls, ...rate }: (typeof CASES)[number]): Promise<void> {
  const { seconds, warmSeconds } = bench.options;
  await bench.withFolder(async (folder) => {
    const product = await startProduct(bench, folder);
    const source = await product.createSource();
    for (let i = 0; i < destinations; i++) {
      await product.createDestination(
        [source],
        Array.from({ length: urls }, (_, url) => `/ok/${i}/${url}`),
      );
    }
    const steady = { port: product.port, writeKeys: [source.writeKey], connections: 16, ...rate };
    await load(bench, { ...steady, seconds: warmSeconds });
    await bench.receiver.reset();
    const result = await load(bench, { ...steady, seconds });
    const { ok } = await bench.receiver.settledStats();
    const sent = rate.callsPerRequest === 1 ? 'single calls' : `batches of ${rate.callsPerRequest}`;
    bench.figures.record({
      id: `answers/${id}/product`,
      what: `${sent}, ${rate.perSecond} events/s, ${destinations * urls} URLs`,
      p50: result.answerP50,
      p99: result.answerP99,
      ...memory(product.usage()),
      note: notes(result, `${Math.round(ok / result.seconds).toLocaleString('en')} deliveries/s arrived`),
    });
    await product.stop();
  });
}
