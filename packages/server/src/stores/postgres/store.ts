import type { AccountStore } from '../../accounts/contract.ts';
import type { Clock } from '../../core/clock.ts';
import type { LogEntry, Position } from '../../core/event.ts';
import type { StreamIndex } from '../../log/stream-index.ts';
import type { Retention, StatsStore } from '../../record/contract.ts';
import type { RegulationStore } from '../../regulations/contract.ts';
import type { SettingsStore } from '../../settings/contract.ts';
import { PostgresAccountStore } from './account-store.ts';
import { Database } from './database.ts';
import { PostgresDeliveryStore } from './delivery-store.ts';
import { Leadership, type Work } from './leadership.ts';
import { Listener } from './listener.ts';
import { migrate } from './migrations.ts';
import { Names } from './names.ts';
import { Node } from './node.ts';
import { OldestWaiting } from './oldest-waiting.ts';
import { Partitions } from './partitions.ts';
import { PeopleLanes } from './people-lanes.ts';
import { PROFILES_CHANGED } from './profile-store.ts';
import { PostgresRegulationStore } from './regulation-store.ts';
import { PostgresRetention } from './retention.ts';
import { PostgresSettingsStore } from './settings-store.ts';
import { PostgresStatsStore } from './stats-store.ts';
import { PostgresStreamIndex } from './stream-index.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`; needs a session of its own for each connection (no transaction pooler). */
  readonly url: string;
  readonly clock: Clock;
  /** Is told what failed and is tried again. */
  readonly failed: (error: unknown, what: string) => void;
  /** How much time one partition takes, milliseconds; default 1 day. Retention drops whole partitions. */
  readonly partitionLength?: number;
  /** How long a node that is not seen keeps what it took off the shelf, milliseconds; default 30 s. */
  readonly lease?: number;
  /** Most connections for outcomes and the shelf, and for people's queries; default 6 and 4. Four more are the node's own. */
  readonly connections?: { readonly deliveries: number; readonly queries: number };
}

/** Everything relational of a cluster, in one PostgreSQL database. */
export interface PostgresStore {
  readonly index: StreamIndex;
  /** The records, once it is known where the bodies are. To be called once. */
  deliveries(log: DeliveryLog): PostgresDeliveryStore;
  readonly stats: StatsStore;
  readonly settings: SettingsStore;
  readonly accounts: AccountStore;
  readonly regulations: RegulationStore;
  readonly retention: Retention;
  /** Reads the lanes of people/, once it is known where the bodies are and where the log ends. */
  peopleLanes(log: DeliveryLog, end: () => Promise<Position>): PeopleLanes;
  /** Calls when a node that does not lead has changed what the profiles' engine keeps; the answer ends that. */
  watchProfiles(changed: () => void): () => void;
  /** Runs work on one node at a time; see Leadership.lead. */
  lead(name: string, work: Work): () => Promise<void>;
  /** Why the database did not answer last, in words; null when it did. It passes by itself. */
  trouble(): string | null;
  /** Ends what leads, gives back what was claimed and closes the connections. */
  close(): Promise<void>;
}

export interface DeliveryLog {
  fetch(positions: readonly Position[]): Promise<readonly (LogEntry | undefined)[]>;
}

const DAY = 24 * 60 * 60 * 1000;
const LEASE = 30_000;

/** Longest time of a statement of the service, and of one that a person waits for, milliseconds. */
const DEADLINE = 10_000;
const QUERY_DEADLINE = 20_000;

/** Connections of the index: its writer, and lookups beside it. */
const INDEX_CONNECTIONS = 2;

/**
 * Opens the store and brings its schema up to date.
 *
 * @throws Error that says what is wrong with the database and how to put it right.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { url, clock, failed, partitionLength = DAY, lease = LEASE } = options;
  const connections = options.connections ?? { deliveries: 6, queries: 4 };
  await migrate(url);
  const database = new Database({ url, connections: connections.deliveries, deadline: DEADLINE });
  const indexing = new Database({ url, connections: INDEX_CONNECTIONS, deadline: DEADLINE });
  const queries = new Database({ url, connections: connections.queries, deadline: QUERY_DEADLINE });
  const databases = [database, indexing, queries];
  let node: Node;
  try {
    node = await Node.join({ database, lease, failed: (error) => failed(error, 'sign of life') });
  } catch (error) {
    await Promise.all(databases.map((each) => each.close()));
    throw error;
  }
  const listener = new Listener({ url, failed: (error) => failed(error, 'listening') });
  const leadership = new Leadership({ url, failed: (error, name) => failed(error, name) });
  const names = new Names(queries);
  const partitions = new Partitions(database, partitionLength);
  let deliveries: PostgresDeliveryStore | null = null;
  return {
    index: new PostgresStreamIndex({ database: indexing, names, partitions }),
    deliveries(log) {
      deliveries = new PostgresDeliveryStore({ database, queries, names, partitions, node, log, clock });
      return deliveries;
    },
    stats: new PostgresStatsStore(queries, names),
    settings: new PostgresSettingsStore(queries, listener),
    accounts: new PostgresAccountStore(queries),
    regulations: new PostgresRegulationStore(queries),
    retention: new PostgresRetention({ database: queries, partitions, oldest: new OldestWaiting(queries, names) }),
    peopleLanes: (log, end) => new PeopleLanes({ database: queries, log, end, clock }),
    watchProfiles: (changed) => listener.listen(PROFILES_CHANGED, changed),
    lead: (name, work) => leadership.lead(name, work),
    trouble: () => databases.map((each) => each.trouble()).find((trouble) => trouble !== null) ?? null,
    async close() {
      await leadership.close();
      await listener.close();
      await deliveries?.idle();
      await node.leave();
      await Promise.all(databases.map((each) => each.close()));
    },
  };
}
