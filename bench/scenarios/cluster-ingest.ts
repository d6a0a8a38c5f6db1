import type { Bench } from '../bench.ts';
import { microsOf, missingForClusters, startCluster } from '../cluster.ts';
import { cpuMicros } from '../figures.ts';
import { caughtUp, load, memory, notes } from '../measure.ts';
import { type Product, startProduct } from '../product.ts';
import type { Scenario } from './scenario.ts';

const CALLS_PER_REQUEST = 100;
/** Of all load generators together, so that the load is the same for each service. */
const CONNECTIONS = 12;
/** Longest wait for the index. */
const INDEX_WITHIN = 120;
const EMBEDDED = 'cluster-ingest/embedded';

export const clusterIngest: Scenario = {
  name: 'cluster-ingest',
  title: 'Ingest of a cluster',
  about: `Batches of ${CALLS_PER_REQUEST}, ${CONNECTIONS} connections, one source a node, no destination: the rate at which 200s are given, and the rate until
everything is in the index as well (found by messageId, counted, told from duplicates), which one node fills for each stream. People are
taken in beside that, and catch up later. CPU is that of
all nodes, of all NATS servers and of PostgreSQL, for each event, until the index has it. Everything is on the cores of this machine, so
more nodes share what there is, and R3 has three servers do each thing three times. Ratios are to the embedded store in the same run.`,
  async run(bench) {
    const missing = await missingForClusters();
    if (missing !== null) return bench.figures.skip(clusterIngest.title, missing);
    await embedded(bench);
    for (const replicas of [1, 3] as const) {
      for (const nodes of [1, 2, 3]) await measure(bench, replicas, nodes);
    }
  },
};

async function embedded(bench: Bench): Promise<void> {
  await bench.withFolder(async (folder) => {
    const product = await startProduct(bench, folder);
    const { writeKey } = await product.createSource();
    const target = {
      port: product.port,
      writeKeys: [writeKey],
      callsPerRequest: CALLS_PER_REQUEST,
      connections: CONNECTIONS,
    };
    await load(bench, { ...target, seconds: bench.options.warmSeconds });
    const before = product.usage();
    const result = await load(bench, { ...target, seconds: bench.options.seconds });
    const usage = product.usage();
    bench.figures.record({
      id: EMBEDDED,
      what: 'embedded store, until 200',
      against: EMBEDDED,
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

async function measure(bench: Bench, replicas: 1 | 3, count: number): Promise<void> {
  const cluster = await startCluster(bench, { replicas });
  const nodes: Product[] = [];
  const writeKeys: string[] = [];
  for (let i = 0; i < count; i++) {
    const node = await cluster.node();
    nodes.push(node);
    writeKeys.push((await node.createSource()).writeKey);
  }
  const warm = await send(bench, nodes, writeKeys, bench.options.warmSeconds);
  await caughtUp({ processed: () => cluster.indexed() }, warm.accepted, INDEX_WITHIN);
  const streams = await cluster.streams();
  const written = await cluster.written();
  const before = cluster.used(nodes);
  const sent = await send(bench, nodes, writeKeys, bench.options.seconds);
  const indexedAt200 = (await cluster.indexed()) - warm.accepted;
  const goal = warm.accepted + sent.accepted;
  const indexed = (await caughtUp({ processed: () => cluster.indexed() }, goal, INDEX_WITHIN)) - warm.accepted;
  const after = cluster.used(nodes);
  const { bytes, messages } = await cluster.streams();
  const { index, log } = await cluster.written();
  const each = (amount: number): string => `${Math.round(amount / sent.accepted).toLocaleString('en')} bytes`;
  const id = `cluster-ingest/R${replicas}/${count}`;
  const what = `R${replicas}, ${count} ${count === 1 ? 'node' : 'nodes'}`;
  const against = EMBEDDED;
  bench.figures.record({
    id: `${id}/answered`,
    what: `${what}, until 200`,
    against,
    perSecond: sent.accepted / sent.seconds,
    p50: sent.answerP50,
    p99: sent.answerP99,
    note: notes(sent, `${percent(indexedAt200, sent.accepted)} were in the index by then`),
  });
  bench.figures.record({
    id: `${id}/indexed`,
    what: `${what}, until indexed`,
    against,
    perSecond: indexed / ((after.at - before.at) / 1000),
    ...microsOf(before, after, indexed),
    note: notes(
      { ...sent, refused: {} },
      `${Math.round(sent.accepted / (messages - streams.messages))} events a batch; an event takes ${each(bytes - streams.bytes)} of the stream, ${each(index - written.index)} of the index and ${each(log - written.log)} of the write-ahead log`,
      indexed < sent.accepted ? `${sent.accepted - indexed} were not indexed within ${INDEX_WITHIN} s` : '',
    ),
  });
  await cluster.stop();
}

/** One load generator for each node, all at once. */
async function send(
  bench: Bench,
  nodes: readonly Product[],
  writeKeys: readonly string[],
  seconds: number,
): Promise<Awaited<ReturnType<typeof load>>> {
  const results = await Promise.all(
    nodes.map(({ port }, i) =>
      load(bench, {
        ...{ port, seconds, callsPerRequest: CALLS_PER_REQUEST },
        writeKeys: writeKeys.slice(i, i + 1),
        connections: CONNECTIONS / nodes.length,
      }),
    ),
  );
  const refused: Record<string, number> = {};
  for (const result of results) {
    for (const [why, calls] of Object.entries(result.refused)) refused[why] = (refused[why] ?? 0) + calls;
  }
  const sum = (pick: (result: (typeof results)[number]) => number): number =>
    results.reduce((total, result) => total + pick(result), 0);
  const most = (pick: (result: (typeof results)[number]) => number): number => Math.max(...results.map(pick));
  return {
    accepted: sum(({ accepted }) => accepted),
    refused,
    seconds: most((result) => result.seconds),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    answerP50: most(({ answerP50 }) => answerP50),
    answerP99: most(({ answerP99 }) => answerP99),
  };
}

function percent(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)} %`;
}
