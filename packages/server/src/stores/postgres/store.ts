import type { Clock } from '../../core/clock.ts';
import type { Losses } from '../../log/contract.ts';
import type { BatchedStream, StreamIndex } from '../../log/stream-index.ts';
import type { LostMessages, Retention } from '../../record/contract.ts';
import type { Erasure } from '../../regulations/contract.ts';
import { type RelationalStores, relationalStores } from '../relational/all.ts';
import { Dictionary } from '../relational/dictionary.ts';
import { keepOnce } from '../relational/documents.ts';
import { keptLosses } from '../relational/losses.ts';
import { Database } from './database.ts';
import { type DeliveryLog, type PostgresDeliveries, postgresDeliveries } from './delivery-store.ts';
import { postgresErasure } from './erasure.ts';
import { unfinishedImport } from './importer.ts';
import { removeFormerLanes } from './lane-table.ts';
import { Leadership, type LeadOptions, type Work } from './leadership.ts';
import { Listener } from './listener.ts';
import { migrate } from './migrations.ts';
import { Node } from './node.ts';
import { Partitions } from './partitions.ts';
import { nodePeers, type Peers } from './peers.ts';
import { PROFILES_CHANGED } from './profile-store.ts';
import { postgresRetention } from './retention.ts';
import { postgresSql } from './sql.ts';
import { postgresStreamIndex } from './stream-index.ts';
import type { PostgresWorld } from './world.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. Each connection needs a session of its own, so no transaction pooler. */
  readonly url: string;
  readonly clock: Clock;
  /** Called when something failed that is tried again. */
  readonly failed: (error: unknown, what: string) => void;
  /** Called with messages that failed because the log had dropped their events before their turn came. */
  readonly lost?: (messages: LostMessages) => void;
  /** The stretch of time of one partition, milliseconds; default 1 day. Retention drops whole partitions. */
  readonly partitionLength?: number;
  /** How long a node without signs of life keeps its claims of the retry queue and its leaderships, milliseconds; default 30 s. */
  readonly lease?: number;
  /** Called when the node's clock is found to be wrong: by how much, milliseconds; 0 if it is right again. */
  readonly skewed?: (ms: number) => void;
  /** Longest time for a statement, milliseconds; default 10 s. A statement that a person waits for may take twice as long. */
  readonly deadline?: number;
  /** Whether this node can read the log. If not, it leads nothing and takes nothing from the retry queue, so that other nodes do. Default: it can. */
  readonly isFit?: () => boolean;
  /** Lower-case values of userId that identify no person, in addition to the usual ones; default none. */
  readonly placeholderIds?: ReadonlySet<string>;
  /** Number of streams of the log. Each can be indexed at the same time; default 1. */
  readonly shards?: number;
}

/** All relational stores of a cluster, in one PostgreSQL database. */
export interface PostgresStore extends RelationalStores {
  /** The given clock, corrected by the database's clock, so that all nodes have the same time. */
  readonly clock: Clock;
  readonly index: StreamIndex;
  readonly losses: Losses;
  /** Opens the deliveries; `log` has the bodies. Call it once. */
  deliveries(log: DeliveryLog): PostgresDeliveries;
  /** Opens the removal of events, from the rows, from the log and from memory. Call it once, after `deliveries`. */
  erasure(stream: BatchedStream): Required<Erasure>;
  /** Works on the log's dropped events only after `erasure` was called. */
  readonly retention: Retention;
  /** The other nodes. */
  readonly peers: Peers;
  /** Stores the hash of the admin token, unless there is one. Answers the stored one, which all nodes use. */
  keepAdminToken(hash: string): Promise<string>;
  /** Removes the lanes of `FORMER_PEOPLE`. No node reads them once this node leads. A step of the schema has kept their positions. */
  removeFormerLanes(): Promise<void>;
  /** Calls `changed` when a node that does not lead has changed profiles. The returned function ends that. */
  watchProfiles(changed: () => Promise<void>): () => void;
  /** Runs work on one node at a time; see Leadership.lead. */
  lead(name: string, work: Work, options?: LeadOptions): () => Promise<void>;
  /** Runs the work that fills the index of a shard, on one node at a time. */
  readonly leadIndex: (shard: number, work: Work) => () => Promise<void>;
  /** Why the database did not answer last, took no sign of life, or what other nodes change is not heard, in words; null if all is well. It can end without a restart. */
  trouble(): string | null;
  /** Ends the work that this node leads, releases its claims and closes the connections. */
  close(): Promise<void>;
}

const DAY = 24 * 60 * 60 * 1000;
const LEASE = 30_000;

const DEADLINE = 10_000;
/** Connections for delivery results and the retry queue, and for queries of people. The node needs three more, and one for each shard. */
const CONNECTIONS = { deliveries: 6, queries: 4 };

/** What a node leads that fills the index of a shard. */
const indexOf = (shard: number): string => `index ${shard}`;

/**
 * Opens the store and brings its schema up to date.
 *
 * @throws Error that says what is wrong with the database and how to correct it.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { url, failed, partitionLength = DAY, lease = LEASE, deadline = DEADLINE, shards = 1 } = options;
  const { isFit = () => true, skewed = () => undefined } = options;
  const lost = options.lost ?? (() => undefined);
  await migrate(url);
  const database = new Database({ url, connections: CONNECTIONS.deliveries, deadline });
  // Look-ups, for which appends wait, have a connection that writes of the index do not use.
  const indexing = new Database({ url, connections: shards + 1, deadline });
  const queries = new Database({ url, connections: CONNECTIONS.queries, deadline: deadline * 2 });
  const databases = [database, indexing, queries];
  let node: Node;
  try {
    node = await Node.join({ database, lease, skewed, failed: (error) => failed(error, 'sign of life') });
    const unfinished = await unfinishedImport(database);
    if (unfinished !== null) {
      await node.leave();
      throw new Error(`The database can't be used yet. ${unfinished}`);
    }
  } catch (error) {
    await Promise.all(databases.map((each) => each.close()));
    throw error;
  }
  const clock = node.clockFrom(options.clock);
  const listener = new Listener({ url, failed: (error) => failed(error, 'listening') });
  const leadership = new Leadership({ url, lease, isFit, failed: (error, name) => failed(error, name) });
  const sql = postgresSql(queries, listener);
  const dictionary = new Dictionary(sql);
  const world: PostgresWorld = {
    ...{ url, clock, database, queries, indexing, sql, dictionary, node, listener, isFit, failed },
    ...{ partitions: new Partitions(database, partitionLength), placeholderIds: options.placeholderIds },
  };
  let deliveries: PostgresDeliveries | null = null;
  let stream: BatchedStream | null = null;
  return {
    ...relationalStores(sql, dictionary),
    clock,
    index: postgresStreamIndex(world, (shard) => leadership.isLedElsewhere(indexOf(shard), indexing)),
    deliveries(log) {
      deliveries = postgresDeliveries(world, log);
      return deliveries;
    },
    erasure(packed) {
      stream = packed;
      return postgresErasure(world, packed, (batches, positions) => {
        packed.forget(batches, positions);
        deliveries?.forget(positions);
      });
    },
    losses: keptLosses(sql),
    retention: postgresRetention(world, async () => (await stream?.beginnings()) ?? [], lost),
    peers: nodePeers(world),
    keepAdminToken: (hash) => keepOnce(sql, 'admin token', hash),
    removeFormerLanes: () => removeFormerLanes(queries),
    watchProfiles: (changed) => listener.listen(PROFILES_CHANGED, changed),
    lead: (...led) => leadership.lead(...led),
    leadIndex: (shard, work) => leadership.lead(indexOf(shard), work),
    // The node's signs of life test the database every few seconds.
    trouble: () => node.trouble ?? database.trouble() ?? (listener.isCurrent() ? null : listener.trouble()),
    async close() {
      await leadership.close();
      await listener.close();
      await deliveries?.idle();
      await node.leave();
      await Promise.all(databases.map((each) => each.close()));
    },
  };
}
