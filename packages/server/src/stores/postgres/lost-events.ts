import type { Position } from '../../core/event.ts';
import { shardOf } from '../../core/position.ts';
import type { LostMessages } from '../../record/contract.ts';
import type { Database } from './database.ts';
import { numberOfState } from './delivery-rows.ts';
import type { WaitingRow } from './oldest-waiting.ts';
import { addCounts } from './settling.ts';
import { fromText } from './text.ts';

/** Events that one statement ends. */
const PIECE = 5_000;

/** Why they failed. */
const REASON = 'retention_ended';

const FAILED = numberOfState('failed');

/**
 * Ends what lanes still wait for though the stream has dropped it: it failed, and is counted; `lost` is told
 * of each step. `waiting` has the first event
 * without a delivery of each lane, `beginnings` where each shard begins.
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
    for (let looked = PIECE; looked === PIECE; ) {
      const [row] = await database.query<{ looked: number; ended: number }>(FAIL, [lane, position, begin, slot, now]);
      looked = row?.looked ?? 0;
      if (row && row.ended > 0) lost({ ...of, messages: row.ended });
    }
  }
}

const NAMES = `SELECT s.name AS source, d.name AS destination FROM lanes l
  JOIN names s ON s.number = l.source JOIN names d ON d.number = l.destination WHERE l.id = $1`;

const FAIL = `WITH lost AS MATERIALIZED (
  SELECT e.position, e.received_at, l.destination, l.id FROM lanes l JOIN events e ON e.source = l.source
  WHERE l.id = $1 AND e.position >= $2 AND e.position < $3 AND e.position <= coalesce(l.until, e.position)
    AND NOT EXISTS (SELECT FROM deliveries d
      WHERE d.position = e.position AND d.destination = l.destination AND d.received_at = e.received_at)
  ORDER BY e.position LIMIT ${PIECE}),
inserted AS (
  INSERT INTO deliveries (position, received_at, destination, lane, state, rounds, at, reason, attempts)
  SELECT position, received_at, destination, id, ${FAILED}, 0, $5, '${REASON}', '' FROM lost ORDER BY position
  ON CONFLICT DO NOTHING RETURNING lane),
counted AS (${addCounts('$4', 'SELECT lane, 0, count(*), 0, 0, 0 FROM inserted GROUP BY lane')})
SELECT (SELECT count(*) FROM lost) AS looked, (SELECT count(*) FROM inserted) AS ended`;
