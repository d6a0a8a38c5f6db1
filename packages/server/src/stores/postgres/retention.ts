import type { Position } from '../../core/event.ts';
import type { LostMessages, Retention } from '../../record/contract.ts';
import { expire } from '../relational/all.ts';
import type { Queries } from './database.ts';
import { RETRYING } from './delivery-rows.ts';
import { isInUse } from './failure.ts';
import { failLost } from './lost-events.ts';
import { OldestWaiting, type WaitingRow } from './oldest-waiting.ts';
import type { Partition } from './partitions.ts';
import { toText } from './text.ts';
import { DISORDER } from './time-bounds.ts';
import type { PostgresWorld } from './world.ts';

/** Longest wait for readers of a partition that is being dropped. New readers wait behind it. */
const LOCK_WAIT = '1s';

/**
 * Drops partitions; see record/contract.ts. Only one node may do so at a time. `beginnings` are the first positions of the
 * log's shards. `lost` is called with messages that failed because the log had dropped their events.
 */
export function postgresRetention(
  { queries: database, sql, dictionary, partitions, node, clock }: PostgresWorld,
  beginnings: () => Promise<readonly Position[]>,
  lost: (messages: LostMessages) => void,
): Retention {
  const oldest = new OldestWaiting(database, dictionary);

  /** Drops a partition. Answers false if it is still needed. @throws Fault if others use it for longer than `LOCK_WAIT`. */
  function drop(partition: Partition, read: readonly ReadThrough[]): Promise<boolean> {
    return database.transaction(
      async (queries) => {
        await queries.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
        await partitions.hold(queries);
        // Checked again under the lock: it sees changes that were under way at the first check.
        if (await isNeeded(queries, partition, read)) return false;
        await partitions.drop(queries, partition);
        return true;
      },
      { byIndex: true },
    );
  }

  async function isOver(partition: Partition, before: number, read: readonly ReadThrough[]): Promise<boolean> {
    const { begins, ends } = partition;
    if (begins >= before) return false;
    if (ends > before && !(await isOlder(database, partition, before))) return false;
    if (await database.transaction((queries) => isNeeded(queries, partition, read), { byIndex: true })) return false;
    return (await waiting()).every(({ received_at }) => received_at >= ends + DISORDER);
  }

  /** The first event for which each lane still waits. */
  async function waiting(): Promise<readonly WaitingRow[]> {
    const lanes = await database.query<{ destination: number }>('SELECT DISTINCT destination FROM lanes');
    return oldest.inLanes(lanes.map(({ destination }) => destination));
  }

  return {
    async expire(before, takenIn) {
      await failLost(database, await waiting(), await beginnings(), { slot: node.slot, now: clock.now(), lost });
      let dropped = 0;
      const inUse: unknown[] = [];
      const indexed = await database.query<ReadThrough>('SELECT shard, through FROM shards');
      const read = indexed.map(({ shard, through }) => {
        return { shard, through: takenIn ? Math.min(through, takenIn[shard] ?? 0) : through };
      });
      for (const partition of await partitions.all()) {
        if (!(await isOver(partition, before, read))) continue;
        const gone = await drop(partition, read).catch((error: unknown) => {
          if (!isInUse(error)) throw error;
          inUse.push(error);
        });
        if (gone) dropped++;
      }
      if (dropped > 0) await partitions.all();
      const replays = (await expire(sql, before)).map(toText);
      await database.query(FORGET_REPLAYS, [replays]);
      // The next run drops these partitions.
      if (inUse.length > 0) throw inUse[0];
      return dropped;
    },
  };
}

/** Removes the counts and the numbers of replays. A number is never given again. */
const FORGET_REPLAYS = `WITH gone AS (DELETE FROM names WHERE name = ANY($1::text[]) RETURNING number)
  DELETE FROM lane_counts WHERE lane IN (SELECT -number FROM gone)`;

/** Whether every event of a partition was received before a time. */
async function isOlder(queries: Queries, { number }: Partition, before: number): Promise<boolean> {
  const [newer] = await queries.query(`SELECT FROM events_${number} WHERE received_at >= $1 LIMIT 1`, [before]);
  return !newer;
}

/** Whether a message of a partition is in a retry queue, or an event of it is not read. */
async function isNeeded(queries: Queries, partition: Partition, read: readonly ReadThrough[]): Promise<boolean> {
  return (await isInRetryQueue(queries, partition)) || isUnread(queries, partition, read);
}

async function isInRetryQueue(queries: Queries, { number }: Partition): Promise<boolean> {
  const [queued] = await queries.query(
    `SELECT FROM lanes l CROSS JOIN LATERAL (SELECT FROM deliveries_${number} d
       WHERE d.destination = l.destination AND d.state <> 0 AND d.state = ${RETRYING} AND d.lane = l.id LIMIT 1) s LIMIT 1`,
  );
  return queued !== undefined;
}

/** The position up to which the index has a shard's events, and all readers of the whole log have taken them in. */
interface ReadThrough {
  readonly shard: number;
  readonly through: Position;
}

/** Whether a partition has events after the positions in `read`. Lanes may wait for what was added since these were read. */
async function isUnread(queries: Queries, { number }: Partition, read: readonly ReadThrough[]): Promise<boolean> {
  const [event] = await queries.query(
    `SELECT FROM shards s LEFT JOIN unnest($1::int[], $2::bigint[]) a(shard, through) ON a.shard = s.shard
     CROSS JOIN LATERAL (SELECT FROM events_${number} e
       WHERE e.position > greatest(a.through, s.shard::bigint << 49) AND e.position <= s.through LIMIT 1) g LIMIT 1`,
    [read.map(({ shard }) => shard), read.map(({ through }) => through)],
  );
  return event !== undefined;
}
