import type { Clock } from '../../core/clock.ts';
import type { Losses } from '../../log/contract.ts';
import type { BatchedStream, StreamIndex } from '../../log/stream-index.ts';
import type { LostMessages, Retention } from '../../record/contract.ts';
import { type RelationalStores, relationalStores } from '../relational/all.ts';
import { Dictionary } from '../relational/dictionary.ts';
import { keepOnce } from '../relational/documents.ts';
import { keptLosses } from '../relational/losses.ts';
import { Database } from './database.ts';
import { type DeliveryLog, type PostgresDeliveries, postgresDeliveries } from './delivery-store.ts';
import { PostgresErasure } from './erasure.ts';
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
import { PostgresSql } from './sql.ts';
import { postgresStreamIndex } from './stream-index.ts';
import type { PostgresWorld } from './world.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`; needs a session of its own for each connection (no transaction pooler). */
  readonly url: string;
  readonly clock: Clock;
  /** Is told what failed and is tried again. */
  readonly failed: (error: unknown, what: string) => void;
  /** Is told of messages that failed because the log had dropped them before their turn came. */
  readonly lost?: (messages: LostMessages) => void;
  /** How much time one partition takes, milliseconds; default 1 day. Retention drops whole partitions. */
  readonly partitionLength?: number;
  /** How long a node that is not seen keeps what it took from the retry queue and what it leads, milliseconds; default 30 s. */
  readonly lease?: number;
  /** Is told when the node's clock is found to be off, by how much (milliseconds; 0: it is right again). */
  readonly skewed?: (ms: number) => void;
  /** Longest time a statement may take, milliseconds; default 10 s. One that a person waits for may take twice as long. */
  readonly deadline?: number;
  /**
   * Whether this node can read the log. While it can't, it leads nothing and takes nothing from the retry queue, so that the others
   * do. Default: it can.
   */
  readonly isFit?: () => boolean;
  /** Values of a userId that identify no person, beside the usual ones, in lower case; default none. */
  readonly placeholderIds?: ReadonlySet<string>;
  /** Streams of the log, each of which may be written into the index at the same time; default 1. */
  readonly shards?: number;
}

/** Everything relational of a cluster, in one PostgreSQL database. */
export interface PostgresStore extends RelationalStores {
  /** The given clock, set right by the database's: so all nodes have one time. */
  readonly clock: Clock;
  readonly index: StreamIndex;
  readonly losses: Losses;
  /** The records, once it is known where the bodies are. To be called once. */
  deliveries(log: DeliveryLog): PostgresDeliveries;
  /** The removal of events, from the records, from the log and from what either holds. To be called once, after `deliveries`. */
  erasure(stream: BatchedStream): PostgresErasure;
  /** What the stream drops is known to it once `erasure` was called. */
  readonly retention: Retention;
  /** The other nodes. */
  readonly peers: Peers;
  /** Keeps the hash of the admin token unless one is kept; answers the one that all nodes take. */
  keepAdminToken(hash: string): Promise<string>;
  /** Removes the lanes of `FORMER_PEOPLE`: no node reads them where this one leads. Where they stood, a step of the schema kept. */
  removeFormerLanes(): Promise<void>;
  /** Calls when a node that does not lead has changed what the profiles' engine keeps; the answer ends that. */
  watchProfiles(changed: () => Promise<void>): () => void;
  /** Runs work on one node at a time; see Leadership.lead. */
  lead(name: string, work: Work, options?: LeadOptions): () => Promise<void>;
  /** Runs what fills the index of a shard, on one node at a time. */
  readonly leadIndex: (shard: number, work: Work) => () => Promise<void>;
  /** Why the database did not answer last, or took no sign of life, in words; null when it did. It passes without a restart. */
  trouble(): string | null;
  /** Ends what leads, gives back what was claimed and closes the connections. */
  close(): Promise<void>;
}

const DAY = 24 * 60 * 60 * 1000;
const LEASE = 30_000;

const DEADLINE = 10_000;
/** Most for outcomes and the retry queue, and for people's queries. Three more are the node's own, and one for each shard. */
const CONNECTIONS = { deliveries: 6, queries: 4 };

/** What a node leads that fills the index of a shard. */
const indexOf = (shard: number): string => `index ${shard}`;

/**
 * Opens the store and brings its schema up to date.
 *
 * @throws Error that says what is wrong with the database and how to put it right.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { url, failed, partitionLength = DAY, lease = LEASE, deadline = DEADLINE, shards = 1 } = options;
  const { isFit = () => true, skewed = () => undefined } = options;
  const lost = options.lost ?? (() => undefined);
  await migrate(url);
  const database = new Database({ url, connections: CONNECTIONS.deliveries, deadline });
  // Lookups, which appends wait for, don't wait behind what is written.
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
  const sql = new PostgresSql(queries, listener);
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
      return new PostgresErasure(world, packed, (batches, positions) => {
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
    // Its signs of life try it every few seconds.
    trouble: () => node.trouble ?? database.trouble(),
    async close() {
      await leadership.close();
      await listener.close();
      await deliveries?.idle();
      await node.leave();
      await Promise.all(databases.map((each) => each.close()));
    },
  };
}
