import type { Bench } from '../bench.ts';
import { endToEnd, load, memory, notes } from '../measure.ts';
import { type Product, productSide, startProduct } from '../product.ts';
import { freePort } from '../redis.ts';
import type { Scenario } from './scenario.ts';

export const backlog: Scenario = {
  name: 'backlog',
  title: 'A backlog',
  about: `The throughput of one lane, then again in the same process while the messages of another wait for an endpoint that
refuses connections; RSS after they were accepted; and how long the service takes to start again with them.`,
  async run(bench) {
    await bench.withFolder(async (folder) => {
      const product = await startProduct(bench, folder);
      const lane = await productSide(product, ['/ok']);
      bench.figures.record({
        id: 'backlog/without/product',
        what: 'Millrace, batches of 100, nothing waits',
        ...(await endToEnd(bench, lane, 100)),
      });
      await accumulate(bench, product);
      bench.figures.record({
        id: 'backlog/with/product',
        what: 'Millrace, batches of 100, while they wait',
        against: 'backlog/without/product',
        ...(await endToEnd(bench, lane, 100)),
      });
      await product.stop();
      await restart(bench, folder);
    });
  },
};

async function accumulate(bench: Bench, product: Product): Promise<void> {
  const events = bench.options.backlog;
  const source = await product.createSource();
  const destination = await product.createDestination([source], [await freePort()]);
  const flood = { port: product.port, writeKeys: [source.writeKey], callsPerRequest: 100, connections: 8 };
  const result = await load(bench, { ...flood, seconds: 120, events });
  const { waiting, retrying, failed } = await product.counts(destination);
  bench.figures.record({
    id: 'backlog/accumulated/product',
    what: `Millrace, ${waiting.toLocaleString('en')} messages waiting`,
    perSecond: result.accepted / result.seconds,
    ...memory(product.usage()),
    note: notes(result, `${retrying.toLocaleString('en')} of them on the shelf`, failed > 0 ? `${failed} failed` : ''),
  });
}

async function restart(bench: Bench, folder: string): Promise<void> {
  const startedAt = performance.now();
  const product = await startProduct(bench, folder);
  const seconds = (performance.now() - startedAt) / 1000;
  bench.figures.record({
    id: 'backlog/start/product',
    what: 'Millrace, started again with them, until it listens',
    seconds,
    ...memory(product.usage()),
  });
  await product.stop();
}
