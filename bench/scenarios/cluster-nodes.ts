import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { type Cluster, microsOf, missingForClusters, startCluster } from '../cluster.ts';
import { load } from '../measure.ts';
import type { Product, Source } from '../product.ts';
import { Turns } from '../turns.ts';
import type { Scenario } from './scenario.ts';

/** Destinations that each call goes to. */
const DESTINATIONS = 20;
/** A node runs one turn in so many. */
const TURNS = 4;
/** Calls that wait: more than are delivered at full speed before a measurement, and in turns for each of its seconds. */
const CALLS = 20_000;
const CALLS_PER_SECOND_MEASURED = 2_000;
/** Living nodes are counted every second with this. */
const NODE_TIMEOUT = '6s';
const SETTLE_MS = 2_500;
const WORDS = ['one node', 'two nodes', 'three nodes'] as const;

export const clusterNodes: Scenario = {
  name: 'cluster-nodes',
  title: 'One node, two nodes, three nodes',
  about: `Deliveries a second of the nodes of a cluster, to endpoints that take 100 ms for an answer, from a backlog; one NATS server,
PostgreSQL and the receiver beside them. CPU is that of all nodes for each delivery. *${DESTINATIONS} destinations*: what limits is the node. Each runs for a quarter of the
time and no two at once (\`bench/turns.ts\`), so that a machine with two cores has room for three and a node that is alone gets no more.
The nodes are added one after the other, without a restart of those that are there, and taken away again; one
node is measured before and after, and the mean is shown. *One URL*: what limits is \`MILLRACE_MAX_CONCURRENCY\`, a promise about the URL that all nodes keep together, so
the rate must stay the same; for these nobody takes turns.`,
  async run(bench) {
    const missing = await missingForClusters();
    if (missing !== null) return bench.figures.skip(clusterNodes.title, missing);
    await manyDestinations(bench);
    await oneUrl(bench);
  },
};

async function manyDestinations(bench: Bench): Promise<void> {
  const cluster = await startCluster(bench, { replicas: 1, env: { MILLRACE_NODE_TIMEOUT: NODE_TIMEOUT } });
  const first = await cluster.node();
  const source = await first.createSource();
  for (let i = 0; i < DESTINATIONS; i++) await first.createDestination([source], [`/slow/${i}`]);
  await fill(bench, first, source, CALLS + CALLS_PER_SECOND_MEASURED * bench.options.seconds);
  const turns = new Turns(TURNS);
  try {
    const nodes = [first];
    for (const [i, words] of WORDS.entries()) {
      const node = nodes[i] ?? (await cluster.node());
      nodes[i] = node;
      // Its code is compiled before its time is short.
      await sleep(bench.options.warmSeconds * 2_000);
      turns.add(node.pid);
      await measure(bench, cluster, nodes, `many/${i + 1}`, `${words}, ${DESTINATIONS} destinations`, 'many/1');
    }
    turns.end();
    await Promise.all(nodes.splice(1).map((node) => node.stop()));
    turns.add(first.pid);
    await measure(bench, cluster, nodes, 'many/1', `one node, ${DESTINATIONS} destinations`, 'many/1');
  } finally {
    turns.end();
  }
  await cluster.stop();
}

async function oneUrl(bench: Bench): Promise<void> {
  const cluster = await startCluster(bench, { replicas: 1, env: { MILLRACE_NODE_TIMEOUT: NODE_TIMEOUT } });
  const nodes = [await cluster.node()];
  const [first] = nodes;
  if (!first) return;
  const source = await first.createSource();
  await first.createDestination([source], ['/slow']);
  await fill(bench, first, source, CALLS);
  await measure(bench, cluster, nodes, 'url/1', 'one node, one URL', 'url/1');
  nodes.push(await cluster.node());
  await measure(bench, cluster, nodes, 'url/2', 'two nodes, one URL', 'url/1');
  await cluster.stop();
}

/** So many calls, some at a time, so that their packs are many. */
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
  against: string,
): Promise<void> {
  await sleep(SETTLE_MS);
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
    against: `cluster-nodes/${against}`,
  });
}
