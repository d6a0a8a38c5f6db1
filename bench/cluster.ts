import { Client } from 'pg';
import { needNats, startNats } from '../test/cluster/nats.ts';
import { type Postgres, startPostgres } from '../test/cluster/postgres.ts';
import type { Bench } from './bench.ts';
import { type Product, startProduct } from './product.ts';
import { type Usage, usageOf } from './usage.ts';

/** NATS and PostgreSQL of one measurement's own, empty at first, which sync as those of a service do. */
export interface Cluster {
  /** Starts one more node. */
  node(env?: Record<string, string>): Promise<Product>;
  /** Of all NATS servers together, and of PostgreSQL with its children. */
  natsUsage(): Usage | null;
  postgresUsage(): Usage | null;
  /** Asks the database what the service doesn't tell. */
  sql<Row extends object>(text: string): Promise<Row[]>;
  /** Events that are in the index. */
  indexed(): Promise<number>;
  /** Ends the nodes, then the rest. */
  stop(): Promise<void>;
}

export interface ClusterShape {
  /** NATS servers, each of which has a copy of every event. */
  readonly replicas: 1 | 3;
  /** Settings of all nodes. */
  readonly env?: Record<string, string>;
}

/** What a node is one of: enough memory and a log that need not be cut short while seconds are measured. */
const POSTGRES = { fsync: 'on', shared_buffers: '256MB', max_wal_size: '4GB' };

/**
 * What is missing for clusters here, in words; null when nothing is. Said once for each scenario that is left out.
 *
 * @throws Error with CI=true, where nothing may go unmeasured.
 */
export async function missingForClusters(): Promise<string | null> {
  if (!(await needNats())) return 'there is no nats-server here (apt-get install nats-server, or name one in NATS_SERVER)';
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
  const ground = { MILLRACE_NATS_URL: nats.url, MILLRACE_DATABASE_URL: databaseUrl, ...env };
  const sql = async <Row extends object>(text: string): Promise<Row[]> => (await client.query(text)).rows as Row[];
  return {
    node: (more = {}) => startProduct(bench, nats.folder, { ...ground, ...more }),
    natsUsage: () => usageOf(...nats.servers.map(({ pid }) => pid)),
    postgresUsage: () => usageOfPostgres(postgres),
    sql,
    async indexed() {
      const [row] = await sql<{ accepted: string }>('SELECT coalesce(sum(accepted), 0) AS accepted FROM millrace.sources');
      return Number(row?.accepted);
    },
    stop: () => bench.processes.stopAll(),
  };
}

/** Null of a server that was given: it may be on another machine. */
function usageOfPostgres({ pid }: Postgres): Usage | null {
  return pid === null ? null : usageOf(pid);
}
