import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { missingForClusters, startCluster } from '../cluster.ts';
import type { Figure } from '../figures.ts';
import { caughtUp, endToEnd, load, memory, notes } from '../measure.ts';
import { type Product, productSide, startProduct } from '../product.ts';
import { freePort } from '../redis.ts';
import type { Scenario } from './scenario.ts';

/** Longest that the messages are sent for. */
const FILL_SECONDS = 3_600;
/** Longest wait until all are counted, seconds: in a cluster the index does that. */
const COUNTED_WITHIN = 600;
/** By then a process that has become quiet has given back what it can do without. */
const QUIET_AFTER_MS = 30_000;

export const backlog: Scenario = {
  name: 'backlog',
  title: 'A backlog',
  about: `The throughput of one lane, then again in the same process while the messages of another wait for an endpoint that
refuses connections; RSS after they were accepted, and when nothing was sent for a while; and how long the service takes to start again with them.`,
  async run(bench) {
    await bench.withFolder(async (folder) => {
      const product = await startProduct(bench, folder);
      await besideBacklog(bench, product, { id: 'backlog', what: 'Millrace', others: () => ({}) });
      await product.stop();
      await restart(bench, folder);
    });
  },
};

export const clusterBacklog: Scenario = {
  name: 'cluster-backlog',
  title: 'A backlog of a cluster',
  about: `What *A backlog* measures, on one node of a cluster with one NATS server; and how fast what waited is delivered once the destination
has a URL that answers. \`--backlog 14400000\` is what four hours at 1,000 events a second leave.`,
  async run(bench) {
    const missing = await missingForClusters();
    if (missing !== null) return bench.figures.skip(clusterBacklog.title, missing);
    const cluster = await startCluster(bench, { replicas: 1 });
    const node = await cluster.node();
    const others = (): Partial<Figure> => ({ natsRssMb: cluster.used([node]).nats?.rssMb ?? null });
    const dead = await besideBacklog(bench, node, { id: 'cluster-backlog', what: 'one node', others });
    const url = `${bench.receiver.origin}/ok`;
    await node.ask('PATCH', `/api/destinations/${dead}`, { settings: { webhooks: [{ url }] } });
    await sleep(bench.options.warmSeconds * 1000);
    const before = { at: performance.now(), ...(await node.counts(dead)) };
    await sleep(bench.options.seconds * 1000);
    const after = { at: performance.now(), ...(await node.counts(dead)) };
    if (after.waiting === 0) throw new Error('All that waited was delivered before it was measured');
    bench.figures.record({
      id: 'cluster-backlog/back/product',
      what: 'one node, what waited goes out',
      perSecond: ((after.processed - before.processed) / (after.at - before.at)) * 1000,
      ...memory(node.usage()),
      ...others(),
    });
    await cluster.stop();
  },
};

/** Who is measured, and what else there is to say of it at a moment. */
interface Measured {
  readonly id: string;
  readonly what: string;
  readonly others: () => Partial<Figure>;
}

/** Measures a lane alone and beside the backlog of another; answers the id of the destination that is dead. */
async function besideBacklog(bench: Bench, product: Product, { id, what, others }: Measured): Promise<string> {
  const lane = await productSide(product, ['/ok']);
  bench.figures.record({
    id: `${id}/without/product`,
    what: `${what}, batches of 100, nothing waits`,
    ...(await endToEnd(bench, lane, 100)),
    ...others(),
  });
  const source = await product.createSource();
  const dead = await product.createDestination([source], [await freePort()]);
  const flood = { port: product.port, writeKeys: [source.writeKey], callsPerRequest: 100, connections: 8 };
  const result = await load(bench, { ...flood, seconds: FILL_SECONDS, events: bench.options.backlog });
  const accepted = async (): Promise<number> => (await product.counts(dead)).accepted;
  await caughtUp({ processed: accepted }, result.accepted, COUNTED_WITHIN);
  const { waiting, retrying, failed } = await product.counts(dead);
  bench.figures.record({
    id: `${id}/accumulated/product`,
    what: `${what}, ${waiting.toLocaleString('en')} messages waiting`,
    perSecond: result.accepted / result.seconds,
    ...memory(product.usage()),
    ...others(),
    note: notes(
      result,
      `${retrying.toLocaleString('en')} of them in the retry queue`,
      failed > 0 ? `${failed} failed` : '',
    ),
  });
  await sleep(QUIET_AFTER_MS);
  bench.figures.record({
    id: `${id}/quiet/product`,
    what: `${what}, ${QUIET_AFTER_MS / 1000} s later`,
    ...memory(product.usage()),
    ...others(),
  });
  bench.figures.record({
    id: `${id}/with/product`,
    what: `${what}, batches of 100, while they wait`,
    against: `${id}/without/product`,
    ...(await endToEnd(bench, lane, 100)),
    ...others(),
  });
  return dead;
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
