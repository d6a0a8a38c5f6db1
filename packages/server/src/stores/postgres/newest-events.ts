import type { StreamIndex } from '../../log/stream-index.ts';
import { LOWEST } from '../relational/piecewise.ts';
import type { Database } from './database.ts';

/** See StreamIndex.newest. The order is that of an index. */
export function newestEvents(database: Database): StreamIndex['newest'] {
  return async (before, most, perBatch, from) => {
    const { receivedAt = LOWEST, position = LOWEST } = from ?? {};
    const rows = await database.queryByIndex<BatchRow>(NEWEST, [
      ...[before.receivedAt, before.position, receivedAt, position, most, perBatch],
    ]);
    const events = rows.reduce((sum, row) => sum + row.events, 0);
    const [last] = rows.map((row) => row.last.map(Number)).toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d);
    return {
      events,
      batches: rows.map(({ batch }) => batch),
      last: last && events === most ? { receivedAt: last[0] ?? 0, position: last[1] ?? 0 } : null,
    };
  };
}

interface BatchRow {
  readonly batch: number;
  readonly events: number;
  /** Time and position of its oldest event. */
  readonly last: readonly [receivedAt: string, position: string];
}

const NEWEST = `SELECT position - position % $6::bigint AS batch, count(*) AS events, min(ARRAY[received_at, position]) AS last
  FROM (SELECT position, received_at FROM events WHERE (received_at, position) < ($1, $2)
    AND (received_at, position) >= ($3, $4) ORDER BY received_at DESC, position DESC LIMIT $5) newest GROUP BY 1`;
