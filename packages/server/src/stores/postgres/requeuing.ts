import type { RequeueItem } from '../../record/contract.ts';
import type { Database } from './database.ts';
import { RETRYING } from './delivery-rows.ts';
import type { Names } from './names.ts';
import { addCounts } from './settling.ts';

export interface RequeuingOptions {
  readonly database: Database;
  readonly names: Names;
  /** Which rows of the counts this node writes. */
  readonly slot: number;
}

/** Puts deliveries back on the shelf; see DeliveryStore.requeue. */
export async function requeue(
  { database, names, slot }: RequeuingOptions,
  destinationId: string,
  items: readonly RequeueItem[],
  now: number,
): Promise<number> {
  const [destination] = await names.known([destinationId]);
  if (destination === undefined || items.length === 0) return 0;
  const values = [items.map(({ position }) => position), items.map(({ dueAt }) => dueAt), destination, now, slot];
  return database.transaction(async (queries) => {
    let put = 0;
    for (const sql of [AGAIN, BACKFILL]) {
      const [row] = await queries.query<{ put: number }>(sql, values);
      put += row?.put ?? 0;
    }
    return put;
  });
}

const ITEMS = `WITH item AS MATERIALIZED (
  SELECT position, min(due_at) AS due_at FROM unnest($1::bigint[], $2::bigint[]) i(position, due_at) GROUP BY position)`;

/** What has an end begins a new window. */
const AGAIN = `${ITEMS},
ended AS MATERIALIZED (
  SELECT d.position, d.received_at, d.lane, d.state, i.due_at FROM item i JOIN deliveries d ON d.position = i.position
  WHERE d.destination = $3 AND d.state <> ${RETRYING} AND EXISTS (SELECT FROM events e
    WHERE e.position = d.position AND e.received_at = d.received_at AND NOT e.erased) ORDER BY d.position FOR UPDATE OF d),
changed AS (
  UPDATE deliveries d SET state = ${RETRYING}, reason = NULL, rounds = 0, first_at = NULL, due_at = e.due_at,
    urls_left = NULL, claimed_by = NULL, at = $4
  FROM ended e WHERE d.position = e.position AND d.destination = $3 AND d.received_at = e.received_at),
counted AS (${addCounts(
  '$5',
  `SELECT lane, -count(*) FILTER (WHERE state = 0), -count(*) FILTER (WHERE state = 1),
    -count(*) FILTER (WHERE state = 2), count(*), 0 FROM ended GROUP BY lane`,
)})
SELECT count(*) AS put FROM ended`;

/**
 * Without a row an event either still waits in a lane of its pair, or came before or between them: then the one that is
 * open takes it.
 */
const BACKFILL = `${ITEMS},
inserted AS (
  INSERT INTO deliveries (position, received_at, destination, lane, state, rounds, due_at, at, attempts)
  SELECT e.position, e.received_at, $3, l.id, ${RETRYING}, 0, i.due_at, $4, ''
  FROM item i JOIN events e ON e.position = i.position AND NOT e.erased
  JOIN lanes l ON l.source = e.source AND l.destination = $3 AND l.until IS NULL
  WHERE NOT EXISTS (SELECT FROM lanes o WHERE o.source = e.source AND o.destination = $3
    AND e.position > o.after AND (o.until IS NULL OR e.position <= o.until))
  ON CONFLICT DO NOTHING RETURNING lane),
counted AS (${addCounts('$5', 'SELECT lane, 0, 0, 0, count(*), count(*) FROM inserted GROUP BY lane')})
SELECT count(*) AS put FROM inserted`;
