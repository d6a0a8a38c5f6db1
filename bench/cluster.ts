import { Client } from 'pg';
import { Link } from '../packages/server/src/stores/jetstream/link.ts';
import { needNats, startNats } from '../test/cluster/nats.ts';
import { startPostgres } from '../test/cluster/postgres.ts';
import type { Bench } from './bench.ts';
import { cpuMicros, type Figure } from './figures.ts';
import { type Product, startProduct } from './product.ts';
import { type Usage, usageOf } from './usage.ts';

/** NATS and PostgreSQL of one measurement's own, empty at first, which sync as those of a service do. */
export interface Cluster {
  /** Starts one more node. */
  node(): Promise<Product>;
  /** What all parts have used so far, these nodes among them. */
  used(nodes: readonly Product[]): Used;
  /** Events that are in the index. */
  indexed(): Promise<number>;
  /** The streams: their messages and bytes, and the consumers of lanes that can be read. */
  streams(): Promise<{ readonly messages: number; readonly bytes: number; readonly consumers: number }>;
  /** Bytes of the index with its own indexes, and of all that was ever written to the database's write-ahead log. */
  written(): Promise<{ readonly index: number; readonly log: number }>;
  /** Ends the nodes, then the rest. */
  stop(): Promise<void>;
}

/** At one moment; null where there is no /proc, or the part may be on another machine. */
export interface Used {
  readonly at: number;
  readonly nodes: Usage | null;
  readonly nats: Usage | null;
  readonly postgres: Usage | null;
}

export interface ClusterShape {
  /** NATS servers, each of which has a copy of every event. */
  readonly replicas: 1 | 3;
  /** Settings of all nodes. */
  readonly env?: Record<string, string>;
}

/** Synced, unlike that of the tests; with a log that need not be cut short while seconds are measured. */
const POSTGRES = { fsync: 'on', shared_buffers: '256MB', max_wal_size: '4GB' };

/**
 * What is missing for clusters here, in words; null when nothing is. Said once for each scenario that is left out.
 *
 * @throws Error with CI=true, where nothing may go unmeasured.
 */
export async function missingForClusters(): Promise<string | null> {
  if (!(await needNats()))
    return 'there is no nats-server here (apt-get install nats-server, or name one in NATS_SERVER)';
  try {
    await (await startPostgres()).stop();
    return null;
  } catch (error) {
    return `PostgreSQL can't be started here: ${String(error).split('\n')[0]}`;
  }
}

export async function startCluster(bench: Bench, { replicas, env = {} }: ClusterShape): Promise<Cluster> {
  const nats = await startNats({ servers: replicas });
  bench.processes.endsWith(() => nats.stop());
  const postgres = await startPostgres({ settings: POSTGRES });
  bench.processes.endsWith(() => postgres.stop());
  const databaseUrl = await postgres.createDatabase();
  const client = new Client({ connectionString: databaseUrl });
  // Its end is told by the next question.
  client.on('error', () => undefined);
  await client.connect();
  bench.processes.endsWith(() => client.end());
  const link = await Link.open({ url: nats.url, name: 'bench', report: () => undefined });
  bench.processes.endsWith(() => link.close());
  const ground = { MILLRACE_NATS_URL: nats.url, MILLRACE_DATABASE_URL: databaseUrl, ...env };
  return {
    node: () => startProduct(bench, nats.folder, ground),
    used: (nodes) => ({
      at: performance.now(),
      nodes: usageOf(...nodes.map(({ pid }) => pid)),
      nats: usageOf(...nats.servers.map(({ pid }) => pid)),
      postgres: postgres.pid === null ? null : usageOf(postgres.pid),
    }),
    async indexed() {
      const { rows } = await client.query<{ accepted: string }>(
        'SELECT coalesce(sum(accepted), 0) AS accepted FROM millrace.sources',
      );
      return Number(rows[0]?.accepted);
    },
    async streams() {
      const sum = { messages: 0, bytes: 0, consumers: 0 };
      for await (const { state } of link.jsm.streams.list()) {
        sum.messages += state.messages;
        sum.bytes += state.bytes;
        sum.consumers += state.consumer_count;
      }
      return sum;
    },
    async written() {
      const { rows } = await client.query<{ index: string; log: string }>(
        `SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0) AS index, pg_current_wal_lsn() - '0/0' AS log
         FROM pg_inherits WHERE inhparent = 'millrace.events'::regclass`,
      );
      return { index: Number(rows[0]?.index), log: Number(rows[0]?.log) };
    },
    stop: () => bench.processes.stopAll(),
  };
}

/** CPU per event of each part, between two moments. */
export function microsOf(
  before: Used,
  after: Used,
  events: number,
): Required<Pick<Figure, 'cpuMicros' | 'natsMicros' | 'postgresMicros'>> {
  return {
    cpuMicros: cpuMicros(before.nodes, after.nodes, events),
    natsMicros: cpuMicros(before.nats, after.nats, events),
    postgresMicros: cpuMicros(before.postgres, after.postgres, events),
  };
}

/** What each part used of one core, between two moments, and the memory they have at the end. */
export function loadOf(
  before: Used,
  after: Used,
): Required<Pick<Figure, 'nodePercent' | 'natsPercent' | 'postgresPercent' | 'rssMb' | 'natsRssMb'>> {
  const seconds = (after.at - before.at) / 1000;
  const percent = (part: 'nodes' | 'nats' | 'postgres'): number | null => {
    const [from, to] = [before[part], after[part]];
    return from && to ? ((to.cpuSeconds - from.cpuSeconds) / seconds) * 100 : null;
  };
  return {
    nodePercent: percent('nodes'),
    natsPercent: percent('nats'),
    postgresPercent: percent('postgres'),
    rssMb: after.nodes?.rssMb ?? null,
    natsRssMb: after.nats?.rssMb ?? null,
  };
}
