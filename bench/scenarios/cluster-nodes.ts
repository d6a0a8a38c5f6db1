import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { type Cluster, microsOf, missingForClusters, startCluster } from '../cluster.ts';
import { load } from '../measure.ts';
import type { Product, Source } from '../product.ts';
import type { Scenario } from './scenario.ts';

/** Destinations that each call goes to: one node sends to each of them the most that a URL gets, 64 ÷ 100 ms. */
const DESTINATIONS = 2;
/** Calls that wait: more than three nodes deliver while they find their concurrency, and in each second of a measurement. */
const CALLS = 30_000;
const CALLS_PER_SECOND_MEASURED = 5_000;
/** Living nodes are counted every second with this. */
const NODE_TIMEOUT = '6s';
const WORDS = ['one node', 'two nodes', 'three nodes'] as const;

export const clusterNodes: Scenario = {
  name: 'cluster-nodes',
  title: 'One node, two nodes, three nodes',
  about: `Deliveries a second of the nodes of a cluster, from a backlog, to ${DESTINATIONS} endpoints that take 100 ms for an answer: what limits a node is
\`MILLRACE_MAX_CONCURRENCY\` (64). One NATS server, PostgreSQL and the receiver run beside them. CPU is that of all nodes, of NATS and of
PostgreSQL for each delivery. The nodes are added one after the other, without a restart of those that are there.`,
  async run(bench) {
    const missing = await missingForClusters();
    if (missing !== null) return bench.figures.skip(clusterNodes.title, missing);
    const cluster = await startCluster(bench, { replicas: 1, env: { MILLRACE_NODE_TIMEOUT: NODE_TIMEOUT } });
    const nodes = [await cluster.node()];
    const [first] = nodes;
    if (!first) return;
    const source = await first.createSource();
    for (let i = 0; i < DESTINATIONS; i++) await first.createDestination([source], [`/slow/${i}`]);
    await fill(bench, first, source, CALLS + CALLS_PER_SECOND_MEASURED * bench.options.seconds);
    for (const [i, words] of WORDS.entries()) {
      if (i > 0) nodes.push(await cluster.node());
      await measure(bench, cluster, nodes, `${i + 1}`, words);
    }
    await cluster.stop();
  },
};

/** So many calls, some at a time, so that their batches are many. */
async function fill(bench: Bench, { port }: Product, { writeKey }: Source, events: number): Promise<void> {
  await load(bench, { port, writeKeys: [writeKey], callsPerRequest: 100, connections: 4, seconds: 60, events });
}

/** Deliveries that arrive while everything is under way. */
async function measure(
  bench: Bench,
  cluster: Cluster,
  nodes: readonly Product[],
  id: string,
  what: string,
): Promise<void> {
  // What is there grows to its most first.
  await sleep(bench.options.warmSeconds * 2_000);
  const before = cluster.used(nodes);
  const { ok } = await bench.receiver.stats();
  await sleep(bench.options.seconds * 1000);
  const arrived = (await bench.receiver.stats()).ok - ok;
  const after = cluster.used(nodes);
  const connected = await nodes[0]?.ask<{ items: readonly { id: string }[] }>('GET', '/api/destinations?limit=500');
  const waiting = await Promise.all(
    (connected?.items ?? []).map(async (item) => (await nodes[0]?.counts(item.id))?.waiting),
  );
  if (waiting.includes(0)) throw new Error(`${what}: nothing waits any more for some of the destinations`);
  bench.figures.record({
    id: `cluster-nodes/${id}`,
    what,
    perSecond: arrived / ((after.at - before.at) / 1000),
    ...microsOf(before, after, arrived),
    against: 'cluster-nodes/1',
  });
}
