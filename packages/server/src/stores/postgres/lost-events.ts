import { numberOfState } from '../../core/delivery.ts';
import type { Position } from '../../core/event.ts';
import { shardOf } from '../../core/position.ts';
import type { LostMessages } from '../../record/contract.ts';
import { HIGHEST } from '../relational/piecewise.ts';
import type { Database } from './database.ts';
import type { WaitingRow } from './oldest-waiting.ts';
import { addCounts } from './settling.ts';
import { fromText } from './text.ts';

/** Events that one statement fails. */
const PIECE = 5_000;

/** The reason of their failure. */
const REASON = 'retention_ended';

const FAILED = numberOfState('failed');

/**
 * Fails the messages that lanes still wait for although the stream has dropped their events. `lost` is called after each step
 * with the number of messages. `waiting` has the first event without a delivery of each lane. `beginnings` has the first
 * position of each shard.
 */
export async function failLost(
  database: Database,
  waiting: readonly WaitingRow[],
  beginnings: readonly Position[],
  { slot, now, lost }: { slot: number; now: number; lost: (messages: LostMessages) => void },
): Promise<void> {
  for (const { lane, position } of waiting) {
    const begin = beginnings[shardOf(position)] ?? 0;
    if (position >= begin) continue;
    const [names] = await database.query<{ source: string; destination: string }>(NAMES, [lane]);
    if (!names) continue;
    const of = { sourceId: fromText(names.source), destinationId: fromText(names.destination) };
    for (let from: Position | null = position; from !== null; ) {
      const [row]: FailedRow[] = await database.queryByIndex<FailedRow>(FAIL, [lane, from, begin, slot, now]);
      from = row?.next ?? null;
      if (row && row.ended > 0) lost({ ...of, messages: row.ended });
    }
  }
}

interface FailedRow {
  /** Where the next piece begins; null if this one was the last. */
  readonly next: Position | null;
  readonly ended: number;
}

const NAMES = `SELECT s.name AS source, d.name AS destination FROM lanes l
  JOIN names s ON s.number = l.source JOIN names d ON d.number = l.destination WHERE l.id = $1`;

const FAIL = `WITH lost AS MATERIALIZED (
  SELECT w.position, w.received_at, l.destination, l.id FROM lanes l CROSS JOIN LATERAL (
    SELECT e.position, e.received_at FROM events e
    WHERE e.source = l.source AND e.position >= $2 AND e.position < $3 AND e.position <= coalesce(l.until, ${HIGHEST})
      AND NOT EXISTS (SELECT FROM deliveries d
        WHERE d.position = e.position AND d.destination = l.destination AND d.received_at = e.received_at)
    ORDER BY e.position LIMIT ${PIECE}) w
  WHERE l.id = $1),
inserted AS (
  INSERT INTO deliveries (position, received_at, destination, lane, state, rounds, at, reason, attempts)
  SELECT position, received_at, destination, id, ${FAILED}, 0, $5, '${REASON}', '' FROM lost ORDER BY position
  ON CONFLICT DO NOTHING RETURNING lane),
counted AS (${addCounts('$4', 'SELECT lane, 0, count(*), 0, 0, 0 FROM inserted GROUP BY lane')})
SELECT (SELECT max(position) + 1 FROM lost HAVING count(*) = ${PIECE}) AS next, (SELECT count(*) FROM inserted) AS ended`;
