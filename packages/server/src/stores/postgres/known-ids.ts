import type { Position } from '../../core/event.ts';
import { MOST_ALIKE } from '../../log/contract.ts';
import type { Known, OwnedId, StreamIndex } from '../../log/stream-index.ts';
import type { Database } from './database.ts';
import { isOf } from './owner-mark.ts';
import { toText } from './text.ts';

interface Asked {
  readonly sourceId: string;
  readonly ids: readonly OwnedId[];
  readonly since: number;
  readonly resolve: (known: Known) => void;
  readonly reject: (error: unknown) => void;
}

/** Most ids of one look-up. */
const MOST_IDS = 8_192;

/**
 * Looks up messageIds of events. While one look-up runs, new questions wait for the next one: thousands of sources that each
 * send a call need only a handful of queries.
 */
export function knownIds(database: Database): StreamIndex['known'] {
  const waiting: Asked[] = [];
  let isLooking = false;

  async function look(): Promise<void> {
    isLooking = true;
    // Waits for one turn of the microtask queue, to include other questions of the same moment.
    await null;
    while (waiting.length > 0) {
      const asked = waiting.splice(0, countOfNext(waiting));
      try {
        const { places, through } = await find(database, asked);
        for (const [i, { resolve }] of asked.entries()) resolve({ places: places[i] ?? new Set(), through });
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    isLooking = false;
  }

  return (sourceId, ids, since) => {
    if (ids.length === 0) return Promise.resolve({ places: new Set(), through: new Map() });
    return new Promise((resolve, reject) => {
      waiting.push({ sourceId, ids, since, resolve, reject });
      if (!isLooking) void look();
    });
  };
}

/** How many of the waiting questions the next look-up answers. */
function countOfNext(waiting: readonly Asked[]): number {
  let [count, sum] = [0, 0];
  for (const { ids } of waiting) {
    sum += ids.length;
    if (count > 0 && sum > MOST_IDS) break;
    count++;
  }
  return count;
}

async function find(
  database: Database,
  asked: readonly Asked[],
): Promise<{ places: Set<number>[]; through: Map<number, Position> }> {
  const rows = asked.flatMap(({ ids, sourceId, since }, i) =>
    ids.map(({ messageId, owner }, place) => ({ i, place, messageId, owner, sourceId, since })),
  );
  // The hash of the messageId finds the event. Its source and its owner are compared last.
  const found = await database.query<{ n: number; through: number | null }>(
    `SELECT shard AS n, through FROM shards UNION ALL
     SELECT i.n::int, NULL FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
       WITH ORDINALITY i(source, id, owner, since, n)
     CROSS JOIN LATERAL (SELECT FROM (SELECT a.erased, a.owner, a.user_id, a.anonymous_id FROM events a
         WHERE hashtextextended(a.message_id, 0) = hashtextextended(i.id, 0) AND a.message_id = i.id
         AND a.received_at >= $5 AND a.received_at >= i.since
         AND a.source + 0 = (SELECT number FROM names WHERE name = i.source) LIMIT ${MOST_ALIKE}) e
       WHERE ${isOf('i.owner')} LIMIT 1) found`,
    [
      rows.map(({ sourceId }) => toText(sourceId)),
      rows.map(({ messageId }) => toText(messageId)),
      rows.map(({ owner }) => toText(owner)),
      rows.map(({ since }) => since),
      Math.min(...asked.map(({ since }) => since)),
    ],
  );
  const places = asked.map(() => new Set<number>());
  const ends = new Map<number, Position>();
  for (const { n, through } of found) {
    const row = rows[n - 1];
    if (through !== null) ends.set(n, through);
    else if (row) places[row.i]?.add(row.place);
  }
  return { places, through: ends };
}
