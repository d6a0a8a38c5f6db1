import { numberOfState, withoutAnswer } from '../../core/delivery.ts';
import type { Position } from '../../core/event.ts';
import type { BatchRange } from '../../log/stream-index.ts';
import type { Queries } from './database.ts';
import { attemptsIn, linesOf, RETRYING } from './delivery-rows.ts';
import { MARK } from './owner-mark.ts';
import type { PARTITIONED } from './partitions.ts';
import { addCounts, COUNTED_FOR } from './settling.ts';
import { columnsOf } from './text.ts';

/** Reason of a waiting message whose user was deleted. */
const REASON = 'user_deleted';

const FILTERED = numberOfState('filtered');

/** An event that has just been removed. */
export interface ErasedRow {
  readonly position: Position;
  readonly received_at: number;
}

/**
 * Locks the lanes of these batches until the caller's transaction ends, so that no node settles new events of them. `eraseRows`
 * changes counts first and other events of the batches later; a settling would take its locks in the opposite order.
 */
export async function holdLanes(queries: Queries, batches: readonly BatchRange[]): Promise<void> {
  await queries.query(
    `SELECT id FROM lanes WHERE source IN (SELECT e.source FROM unnest($1::bigint[], $2::bigint[]) p(first, last)
       JOIN events e ON e.position >= p.first AND e.position <= p.last) ORDER BY id FOR NO KEY UPDATE`,
    columnsOf(batches, 'first', 'last'),
  );
}

/**
 * Empties the rows of these events, inside the caller's transaction: words and answers. Skips events that are unknown or
 * removed. A message that still waits, in a lane or in a retry queue, ends as filtered.
 */
export async function eraseRows(
  queries: Queries,
  positions: readonly Position[],
  slot: number,
  now: number,
): Promise<ErasedRow[]> {
  const erased = await queries.query<ErasedRow>(
    `UPDATE events e SET erased = true, owner = ${MARK}, name = NULL, user_id = NULL, anonymous_id = NULL,
       previous_id = NULL
     FROM unnest($1::bigint[]) p(position) WHERE e.position = p.position AND NOT e.erased
     RETURNING e.position, e.received_at`,
    [positions],
  );
  if (erased.length === 0) return [];
  const times = erased.map(({ received_at }) => received_at);
  const rows = [erased.map(({ position }) => position), times];
  await markStale(queries, 'events', times);
  await eraseAnswers(queries, rows);
  await queries.query(END_RETRIES, [...rows, now, slot]);
  await queries.query(END_WAITING, [...rows, now, slot]);
  return erased;
}

/**
 * Queues the other events of batches that will be deleted from the stream, in the retry queues of lanes that have not settled
 * them. They are due at `dueAt`.
 */
export async function queueRest(
  queries: Queries,
  batches: readonly BatchRange[],
  { slot, now, dueAt }: { slot: number; now: number; dueAt: number },
): Promise<void> {
  const ranges = columnsOf(batches, 'first', 'last');
  await queries.query(QUEUE_RETRIES, [...ranges, now, slot, dueAt]);
}

/** Notes that the partitions of these times contain something that must become unreadable. */
export async function markStale(
  queries: Queries,
  table: (typeof PARTITIONED)[number],
  times: readonly number[],
): Promise<void> {
  if (times.length === 0) return;
  await queries.query(
    `INSERT INTO stale_tables (name) SELECT DISTINCT '${table}_' || p.number FROM partitions p
     JOIN unnest($1::bigint[]) t(at) ON p.begins <= t.at AND t.at < p.ends ORDER BY 1
     ON CONFLICT (name) DO UPDATE SET mark = nextval('stale_marks')`,
    [times],
  );
}

/** The same for a table that is not partitioned. */
export async function markWholeStale(queries: Queries, table: string): Promise<void> {
  await queries.query(
    `INSERT INTO stale_tables (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET mark = nextval('stale_marks')`,
    [table],
  );
}

interface AnsweredRow {
  readonly position: number;
  readonly received_at: number;
  readonly destination: number;
  readonly attempts: string;
}

async function eraseAnswers(queries: Queries, events: readonly (readonly number[])[]): Promise<void> {
  const answered = await queries.query<AnsweredRow>(
    `SELECT d.position, d.received_at, d.destination, d.attempts FROM ${GIVEN} JOIN deliveries d
     ON d.position = g.position AND d.received_at = g.received_at WHERE d.attempts <> ''
     ORDER BY d.position, d.destination FOR UPDATE OF d`,
    [...events],
  );
  if (answered.length === 0) return;
  await queries.query(
    `UPDATE deliveries d SET attempts = g.attempts
     FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[]) g(position, received_at, destination, attempts)
     WHERE d.position = g.position AND d.received_at = g.received_at AND d.destination = g.destination`,
    [
      ...columnsOf(answered, 'position', 'received_at', 'destination'),
      answered.map(({ attempts }) => linesOf(attemptsIn(attempts).map(withoutAnswer))),
    ],
  );
  await markStale(
    queries,
    'deliveries',
    answered.map((row) => row.received_at),
  );
}

const GIVEN = 'unnest($1::bigint[], $2::bigint[]) g(position, received_at)';

const END_RETRIES = `WITH ended AS (
  UPDATE deliveries d SET state = ${FILTERED}, reason = '${REASON}', due_at = NULL, urls_left = NULL, claimed_by = NULL, at = $3
  FROM ${GIVEN} WHERE d.position = g.position AND d.received_at = g.received_at AND d.state = ${RETRYING}
  RETURNING d.lane, d.replay)
${addCounts('$4', `SELECT c.lane, 0, 0, count(*), -count(*), 0 FROM ended u, ${COUNTED_FOR} GROUP BY c.lane`)}`;

/** Joins events `e` with the lanes that contain them. */
const IN_LANES =
  'JOIN lanes l ON l.source = e.source AND e.position > l.after AND (l.until IS NULL OR e.position <= l.until)';

const END_WAITING = `WITH inserted AS (
  INSERT INTO deliveries (position, received_at, destination, lane, state, rounds, at, reason, attempts)
  SELECT e.position, e.received_at, l.destination, l.id, ${FILTERED}, 0, $3, '${REASON}', '' FROM ${GIVEN}
  JOIN events e ON e.position = g.position AND e.received_at = g.received_at ${IN_LANES}
  ORDER BY e.position, l.destination ON CONFLICT DO NOTHING RETURNING lane)
${addCounts('$4', 'SELECT lane, 0, 0, count(*), 0, 0 FROM inserted GROUP BY lane')}`;

const QUEUE_RETRIES = `WITH inserted AS (
  INSERT INTO deliveries (position, received_at, destination, lane, state, rounds, due_at, at, attempts)
  SELECT e.position, e.received_at, l.destination, l.id, ${RETRYING}, 0, $5, $3, ''
  FROM unnest($1::bigint[], $2::bigint[]) p(first, last)
  JOIN events e ON e.position >= p.first AND e.position <= p.last AND NOT e.erased ${IN_LANES}
  ORDER BY e.position, l.destination ON CONFLICT DO NOTHING RETURNING lane)
${addCounts('$4', 'SELECT lane, 0, 0, 0, count(*), 0 FROM inserted GROUP BY lane')}`;
