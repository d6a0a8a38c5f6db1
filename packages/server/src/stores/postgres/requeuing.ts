import { stateOf } from '../../core/delivery.ts';
import type { DeliveryStore, Requeued, UndoneEnds } from '../../record/contract.ts';
import { RETRYING } from './delivery-rows.ts';
import { addCounts } from './settling.ts';
import { columnsOf } from './text.ts';
import type { PostgresWorld } from './world.ts';

/** Puts deliveries back into the retry queue; see DeliveryStore.requeue. */
export async function requeue(
  { database, dictionary, node, clock }: PostgresWorld,
  ...[destinationId, items, replayId, urlsLeft = null]: Parameters<DeliveryStore['requeue']>
): Promise<Requeued> {
  const [destination] = await dictionary.known([destinationId]);
  if (destination === undefined || items.length === 0) return { put: 0, undone: [] };
  const replay = (await dictionary.numbers([replayId]))(replayId);
  const times = columnsOf(items, 'position', 'dueAt');
  const values = [...times, destination, clock.now(), node.slot, replay, urlsLeft && JSON.stringify(urlsLeft)];
  const { ended, put } = await database.transaction(
    async (queries) => {
      await queries.query(HOLD_LANES, [items.map(({ position }) => position), destination]);
      const ended = await queries.query<EndedRow>(AGAIN, values);
      const [row] = await queries.query<{ put: number }>(BACKFILL, values);
      return { ended, put: row?.put ?? 0 };
    },
    { byIndex: true },
  );
  const idOf = await dictionary.ids(ended.map(({ source }) => source));
  const undone = ended.map(({ source, state, at, messages }): UndoneEnds => {
    return { sourceId: idOf(source), state: stateOf(state), at, messages };
  });
  return { put: ended.reduce((sum, { messages }) => sum + messages, put), undone };
}

interface EndedRow {
  readonly source: number;
  readonly state: number;
  readonly at: number;
  readonly messages: number;
}

const ITEMS = `WITH item AS MATERIALIZED (
  SELECT position, min(due_at) AS due_at FROM unnest($1::bigint[], $2::bigint[]) i(position, due_at) GROUP BY position)`;

/**
 * Locks the lanes of these events until the transaction ends: a removal of some of them has ended then, or has not begun. Else a message
 * of a removed event would be put back, and stay in the queue for ever.
 */
const HOLD_LANES = `SELECT id FROM lanes WHERE destination = $2 AND source IN (
  SELECT e.source FROM unnest($1::bigint[]) p(position) JOIN events e ON e.position = p.position) ORDER BY id FOR SHARE`;

/** A replay that was killed repeats its last batch. Each message must count once. */
const AGAIN_IN_IT = (state: number): string => `-count(*) FILTER (WHERE state = ${state} AND replay = $6)`;

/**
 * Deliveries that have ended begin a new retry window. The `+ 0` keeps the server from the indexes of destination and source:
 * the positions find the rows.
 */
const AGAIN = `${ITEMS},
ended AS MATERIALIZED (
  SELECT d.position, d.received_at, d.lane, d.state, d.at, d.replay, e.source, i.due_at
  FROM item i JOIN deliveries d ON d.position = i.position
  JOIN events e ON e.position = d.position AND e.received_at = d.received_at AND NOT e.erased
  WHERE d.destination + 0 = $3 AND d.state <> ${RETRYING} ORDER BY d.position FOR UPDATE OF d),
changed AS (
  UPDATE deliveries d SET state = ${RETRYING}, reason = NULL, rounds = 0, first_at = NULL, due_at = e.due_at,
    urls_left = $7::text, claimed_by = NULL, at = $4, replay = $6
  FROM ended e WHERE d.position = e.position AND d.destination + 0 = $3 AND d.received_at = e.received_at),
counted AS (${addCounts(
  '$5',
  `SELECT lane, -count(*) FILTER (WHERE state = 0), -count(*) FILTER (WHERE state = 1),
    -count(*) FILTER (WHERE state = 2), count(*), 0 FROM ended GROUP BY lane
  UNION ALL SELECT -$6::int, ${AGAIN_IN_IT(0)}, ${AGAIN_IN_IT(1)}, ${AGAIN_IN_IT(2)}, count(*), 0 FROM ended HAVING count(*) > 0`,
)})
SELECT source, state::int AS state, at - at % 60000 AS at, count(*) AS messages FROM ended GROUP BY 1, 2, 3`;

/**
 * Events without a delivery. Either the event still waits in a lane of its source and destination. Or it came before or between
 * these lanes: then the open lane takes it.
 */
const BACKFILL = `${ITEMS},
inserted AS (
  INSERT INTO deliveries (position, received_at, destination, lane, state, rounds, due_at, at, attempts, replay, urls_left)
  SELECT e.position, e.received_at, $3, l.id, ${RETRYING}, 0, i.due_at, $4, '', $6, $7::text
  FROM item i JOIN events e ON e.position = i.position AND NOT e.erased
  JOIN lanes l ON l.source = e.source + 0 AND l.destination = $3 AND l.until IS NULL
  WHERE NOT EXISTS (SELECT FROM lanes o WHERE o.source = e.source AND o.destination = $3
    AND e.position > o.after AND (o.until IS NULL OR e.position <= o.until))
  ON CONFLICT DO NOTHING RETURNING lane),
counted AS (${addCounts(
  '$5',
  `SELECT lane, 0, 0, 0, count(*), count(*) FROM inserted GROUP BY lane
  UNION ALL SELECT -$6::int, 0, 0, 0, count(*), 0 FROM inserted HAVING count(*) > 0`,
)})
SELECT count(*) AS put FROM inserted`;
