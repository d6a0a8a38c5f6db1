import { setImmediate } from 'node:timers/promises';
import type { Position } from '../../core/event.ts';
import type { BatchedStream, BatchRange } from '../../log/stream-index.ts';
import type { Erasure } from '../../regulations/contract.ts';
import type { Queries } from './database.ts';
import { eraseRows, holdLanes, markStale, queueRest } from './erasing.ts';
import { rewriteStale } from './rewriting.ts';
import { findUsers } from './user-search.ts';
import type { PostgresWorld } from './world.ts';

type Removed = (positions: ReadonlySet<Position>) => void;

/** Batches per transaction. Other removals wait for it, and delivery results of the same sources too. */
const BATCHES_PER_TRANSACTION = 8;
/** Delay before events of a deleted batch are due: nodes that have one in hand usually settle it earlier. */
const HELD_MS = 10_000;
/** How long nodes can learn of a removal, in PostgreSQL's notation. */
const REMEMBERED = '1 hour';

/** Batches that a node reads at a time when it learns of removals. */
const NEWS = 1_000;

const CHANNEL = 'millrace_erased';

/** One removal at a time, because batches are read, reduced and replaced. */
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('millrace erasing', 0))`;

/**
 * Removes events from the rows and from the stream, whose batches can't be changed. See regulations/contract.ts for the
 * promises. It works on some batches at a time:
 *
 * 1. One transaction empties the rows and ends waiting messages. It stores the rest of each batch (`replaced_packs`), queues
 *    the rest for lanes that had not settled it, and notes the batches as to be deleted.
 * 2. Every node is notified. From then on it reads the rest, returns nothing from the batches themselves, and drops what it has
 *    of them.
 * 3. The batches are deleted from the stream, and that is noted.
 *
 * If a removal is interrupted after step 1, the next removal or purge does the rest.
 *
 * @param forget called with batches and removed events: the readers of this process must drop both.
 */
export function postgresErasure(
  world: PostgresWorld,
  stream: BatchedStream,
  forget: BatchedStream['forget'],
): Required<Erasure> {
  const { url, database, queries, dictionary, placeholderIds, clock, node, listener } = world;
  const watchers = new Set<Removed>();
  /** The last removal that this node has learned of; null at first. */
  let heard: number | null = null;
  listener.listen(CHANNEL, () => hear());

  async function eraseBatches(batches: ReadonlyMap<Position, readonly Position[]>): Promise<void> {
    const erased = await database.transaction(
      async (queries) => {
        await queries.query(LOCK);
        // Before taking locks that deliveries need, because the servers may be slow.
        const reduced = await Promise.all(
          Array.from(
            batches,
            async ([batch, without]) => [batch, await stream.reduce(batch, new Set(without))] as const,
          ),
        );
        await holdLanes(
          queries,
          [...batches.keys()].map((batch) => stream.batchOf(batch)),
        );
        const now = clock.now();
        const rows = await eraseRows(queries, [...batches.values()].flat(), node.slot, now);
        const byBatch = Map.groupBy(
          rows.map(({ position }) => position),
          (position) => stream.batchOf(position).first,
        );
        const rest = await replace(
          queries,
          reduced.filter(([batch]) => byBatch.has(batch)),
        );
        await queueRest(queries, rest, { slot: node.slot, now, dueAt: now + HELD_MS });
        for (const [batch, positions] of byBatch) {
          await queries.query('INSERT INTO erased_packs (pack, positions) VALUES ($1, $2)', [batch, positions]);
        }
        await queries.query(`DELETE FROM erased_packs WHERE deleted AND at < now() - interval '${REMEMBERED}'`);
        await queries.query(`SELECT pg_notify('${CHANNEL}', '')`);
        return byBatch;
      },
      { byIndex: true },
    );
    if (erased.size === 0) return;
    forget([...erased.keys()], new Set([...erased.values()].flat()));
    await deleteBatches();
  }

  /** Stores the rest of batches. Answers the ranges of batches that have a rest. */
  async function replace(
    queries: Queries,
    reduced: readonly (readonly [batch: Position, bytes: Uint8Array | null | undefined])[],
  ): Promise<BatchRange[]> {
    const before = await queries.query<{ received_at: number }>(
      'DELETE FROM replaced_packs WHERE pack = ANY($1::bigint[]) RETURNING received_at',
      [reduced.map(([batch]) => batch)],
    );
    await markStale(
      queries,
      'replaced_packs',
      before.map(({ received_at }) => received_at),
    );
    const left: BatchRange[] = [];
    for (const [batch, bytes] of reduced) {
      if (!bytes) continue;
      const range = stream.batchOf(batch);
      left.push(range);
      await queries.query(
        `INSERT INTO replaced_packs (pack, received_at, bytes)
         SELECT $1, max(received_at), $4 FROM events WHERE position >= $2 AND position <= $3 AND NOT erased
         HAVING count(*) > 0`,
        [batch, range.first, range.last, bytes],
      );
    }
    return left;
  }

  /** Deletes the batches from the stream that are noted as to be deleted. */
  async function deleteBatches(): Promise<void> {
    const left = await database.query<{ number: number; batch: number }>(
      'SELECT number, pack AS batch FROM erased_packs WHERE NOT deleted ORDER BY number',
    );
    if (left.length === 0) return;
    await stream.deleteBatches([...new Set(left.map(({ batch }) => batch))]);
    await database.query('UPDATE erased_packs SET deleted = true WHERE number = ANY($1::bigint[])', [
      left.map(({ number }) => number),
    ]);
  }

  async function hear(): Promise<void> {
    if (heard === null) {
      const [last] = await queries.query<{ number: number }>(
        'SELECT coalesce(max(number), 0) AS number FROM erased_packs',
      );
      // A new node has read nothing yet, but a batch that was just deleted may still be on its way to it.
      await take(`NOT deleted OR at > now() - interval '1 minute'`, 0);
      heard = last?.number ?? 0;
    }
    heard = await take('true', heard);
  }

  /** Drops what was removed by removals after `after`, of those that `which` selects. Answers the last one. */
  async function take(which: string, after: number): Promise<number> {
    let last = after;
    for (;;) {
      const news = await queries.query<{ number: number; batch: number; positions: string[] }>(
        `SELECT number, pack AS batch, positions FROM erased_packs WHERE number > $1 AND (${which}) ORDER BY number LIMIT ${NEWS}`,
        [last],
      );
      const positions = new Set(news.flatMap((row) => row.positions.map(Number)));
      forget(
        news.map(({ batch }) => batch),
        positions,
      );
      // By then, everything that the log returned before has arrived.
      await setImmediate();
      if (news.length > 0) for (const removed of watchers) removed(positions);
      last = news.at(-1)?.number ?? last;
      if (news.length < NEWS) return last;
    }
  }

  return {
    async end() {
      await stream.caughtUp();
      const rows = await database.query<{ shard: number; through: number }>('SELECT shard, through FROM shards');
      const ends = new Map(rows.map(({ shard, through }) => [shard, through]));
      return Array.from({ length: Math.max(-1, ...ends.keys()) + 1 }, (_, shard) => ends.get(shard) ?? 0);
    },

    find(ids, after, through, anonymousIds = []) {
      return findUsers(queries, dictionary, { ids, anonymousIds, placeholderIds }, { after, through });
    },

    async erase(events) {
      await deleteBatches();
      const positions = new Set(events.map(({ position }) => position));
      const batches = [...Map.groupBy(positions, (position) => stream.batchOf(position).first)];
      for (let start = 0; start < batches.length; start += BATCHES_PER_TRANSACTION) {
        await eraseBatches(new Map(batches.slice(start, start + BATCHES_PER_TRANSACTION)));
      }
      // By then, everything returned before the removal has arrived.
      await setImmediate();
    },

    async purge(signal) {
      signal.throwIfAborted();
      await deleteBatches();
      await rewriteStale(url, queries, signal);
    },

    watch(removed) {
      watchers.add(removed);
      return () => watchers.delete(removed);
    },
  };
}
