import type { Position } from '../../core/event.ts';
import { HIGHEST, LOWEST } from '../relational/piecewise.ts';
import type { Database } from './database.ts';

/** The positions of a source between which everything was received in a stretch of time: low < position < high. */
export interface Bounds {
  readonly source: number;
  readonly low: Position;
  readonly high: Position;
}

/** Neighbours of a shard can be out of order by this time, milliseconds: batches wait for their acknowledgement side by side. */
export const DISORDER = 120_000;

/** The bounds of each of these sources: from ≤ received < to. Leaves out sources without known events. */
export async function boundsOf(
  database: Database,
  sources: readonly number[],
  { from, to }: { readonly from: number | null; readonly to: number | null },
): Promise<Bounds[]> {
  return database.query<Bounds & { source: number }>(
    `SELECT s.source,
       coalesce((SELECT e.position FROM events e WHERE $2::bigint IS NOT NULL AND e.received_at < $2
         AND e.position >= s.shard::bigint << 49 AND e.position < (s.shard + 1)::bigint << 49
         ORDER BY e.received_at DESC, e.position DESC LIMIT 1), ${LOWEST}) AS low,
       coalesce((SELECT e.position FROM events e WHERE $3::bigint IS NOT NULL AND e.received_at >= $3
         AND e.position >= s.shard::bigint << 49 AND e.position < (s.shard + 1)::bigint << 49
         ORDER BY e.received_at, e.position LIMIT 1), ${HIGHEST}) AS high
     FROM sources s WHERE s.source = ANY($1::int[])`,
    [sources, from === null ? null : from - DISORDER, to === null ? null : to + DISORDER],
  );
}
