import { type DeliveryResult, numberOfState } from '../../core/delivery.ts';
import { keptAttempts, NEARLY_MOST, SHORTEST_LONG } from '../../core/kept-attempts.ts';
import { attemptsIn, linesOf, RETRYING } from './delivery-rows.ts';
import { toTextOrNull } from './text.ts';
import type { PostgresWorld } from './world.ts';

/** Most rows of one statement: hundreds of results share a sync, and no statement takes long. */
const MOST = 2_000;

/**
 * Writes delivery results. Most are new: one statement adds and counts them. A second statement changes existing rows if that
 * is allowed: a final state does not change, and a round is recorded once. A node that repeats a round did not get the answer
 * to its first attempt. Results beyond the end of their lane, or of a removed lane, are left out: their node had not learned of
 * that end. The lanes are locked while their counts change, so that none ends meanwhile.
 */
export async function settle(
  { database, dictionary, partitions, node }: PostgresWorld,
  batch: readonly DeliveryResult[],
): Promise<void> {
  const numberOf = await dictionary.numbers(batch.map(({ destinationId }) => destinationId));
  for (const results of parts(batch)) {
    const columns = columnsOf(results, numberOf);
    const times = results.map(({ entry }) => entry.receivedAt);
    const known = await partitions.write(times, () => database.query<KnownRow>(INSERT, [...columns, node.slot]));
    if (known.length === 0) continue;
    const rest = columns.map((column) => known.map(({ n }) => column[n - 1]));
    await database.query(UPDATE, [...rest, node.slot, ...shortenedOf(results, known)]);
  }
}

/** A result, by number from 1, that has a row already. `long`: the attempts of that row, if they may be more than are kept. */
interface KnownRow {
  readonly n: number;
  readonly long: string | null;
}

/** Of long rows: the number among the known ones, how long they were, and the attempts that are kept with those of the result. */
function shortenedOf(results: readonly DeliveryResult[], known: readonly KnownRow[]): [number[], number[], string[]] {
  const columns: [number[], number[], string[]] = [[], [], []];
  for (const [i, { n, long }] of known.entries()) {
    if (long === null) continue;
    columns[0].push(i + 1);
    columns[1].push(Buffer.byteLength(long));
    columns[2].push(linesOf(keptAttempts([...attemptsIn(long), ...(results[n - 1]?.attempts ?? [])])));
  }
  return columns;
}

/** Splits results into parts that are written one after the other. No part contains two results of one event and destination. */
function parts(batch: readonly DeliveryResult[]): DeliveryResult[][] {
  const waves: DeliveryResult[][] = [];
  const seen = new Map<string, number>();
  for (const result of batch) {
    const key = `${result.entry.position} ${result.destinationId}`;
    const wave = seen.get(key) ?? 0;
    seen.set(key, wave + 1);
    waves[wave] ??= [];
    waves[wave].push(result);
  }
  return waves.flatMap((wave) =>
    Array.from({ length: Math.ceil(wave.length / MOST) }, (_, i) => wave.slice(i * MOST, (i + 1) * MOST)),
  );
}

type Columns = readonly (readonly unknown[])[];

function columnsOf(results: readonly DeliveryResult[], numberOf: (name: string) => number): Columns {
  return [
    results.map(({ entry }) => entry.position),
    results.map(({ entry }) => entry.receivedAt),
    results.map(({ destinationId }) => numberOf(destinationId)),
    results.map(({ laneId }) => laneId),
    results.map(({ state }) => numberOfState(state)),
    results.map(({ rounds }) => rounds),
    results.map(({ firstAt }) => firstAt),
    results.map(({ dueAt }) => dueAt),
    results.map(({ at }) => at),
    results.map(({ reason }) => toTextOrNull(reason)),
    results.map(({ urlsLeft }) => urlsLeft && JSON.stringify(urlsLeft)),
    results.map(({ attempts }) => linesOf(attempts)),
  ];
}

const GIVEN = `WITH given AS MATERIALIZED (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[],
  $5::smallint[], $6::int[], $7::bigint[], $8::bigint[], $9::bigint[], $10::text[], $11::text[], $12::text[])
  WITH ORDINALITY AS g(position, received_at, destination, lane, state, rounds, first_at, due_at, at, reason, urls_left,
  attempts, n))`;

/** Adds changes of counts. `changes` selects lane, processed, failed, filtered, retrying and backfilled. */
export function addCounts(slot: string, changes: string): string {
  return `INSERT INTO lane_counts (slot, lane, processed, failed, filtered, retrying, backfilled)
  SELECT ${slot}::smallint, c.* FROM (${changes}) c ORDER BY 2
  ON CONFLICT (lane, slot) DO UPDATE SET processed = lane_counts.processed + excluded.processed,
    failed = lane_counts.failed + excluded.failed, filtered = lane_counts.filtered + excluded.filtered,
    retrying = lane_counts.retrying + excluded.retrying, backfilled = lane_counts.backfilled + excluded.backfilled`;
}

/**
 * The counts that contain a changed row `u`, as `c.lane`: those of its lane, and of the replay that put it into the retry
 * queue. Another condition can follow with AND.
 */
export const COUNTED_FOR = 'LATERAL (VALUES (u.lane), (-u.replay)) c(lane) WHERE c.lane IS NOT NULL';

const IN_STATES = `count(*) FILTER (WHERE state = 0), count(*) FILTER (WHERE state = 1),
  count(*) FILTER (WHERE state = 2), count(*) FILTER (WHERE state = ${RETRYING})`;

/** Whether a row has so many attempts that they must be shortened. The line ends are counted, because a few attempts may be long. */
const LONG = `octet_length(d.attempts) > ${SHORTEST_LONG}
  AND octet_length(d.attempts) - octet_length(replace(d.attempts, E'\\n', '')) >= ${NEARLY_MOST}`;

/** Selects the given results that had a row already; see KnownRow. */
const INSERT = `${GIVEN},
held AS MATERIALIZED (
  SELECT id, until FROM lanes WHERE id IN (SELECT lane FROM given) ORDER BY id FOR SHARE),
over AS MATERIALIZED (SELECT id, until FROM held WHERE until IS NOT NULL),
inserted AS (
  INSERT INTO deliveries (position, received_at, destination, lane, state, rounds, first_at, due_at, at, reason, urls_left,
    attempts)
  SELECT position, received_at, destination, lane, state, rounds, first_at, due_at, at, reason, urls_left, attempts
  FROM given g WHERE lane = ANY(ARRAY(SELECT id FROM held))
    AND NOT EXISTS (SELECT FROM over o WHERE o.id = g.lane AND o.until < g.position)
  ORDER BY position, destination ON CONFLICT DO NOTHING RETURNING position, destination, lane, state),
counted AS (${addCounts('$13', `SELECT lane, ${IN_STATES}, 0 FROM inserted GROUP BY lane`)})
SELECT n::int AS n, (SELECT d.attempts FROM deliveries d WHERE d.position = g.position AND d.destination = g.destination
  AND d.received_at = g.received_at AND ${LONG}) AS long
FROM given g WHERE (SELECT count(*) FROM inserted) < (SELECT count(*) FROM given)
  AND (position, destination) NOT IN (SELECT position, destination FROM inserted)`;

/**
 * A message in the retry queue gets its final state, or its next round. The attempts are the shortened ones, unless another node
 * has added some meanwhile.
 */
const UPDATE = `${GIVEN},
updated AS (
  UPDATE deliveries d SET state = g.state, rounds = g.rounds, first_at = g.first_at, due_at = g.due_at, at = g.at,
    reason = g.reason, urls_left = g.urls_left, claimed_by = NULL,
    attempts = CASE WHEN octet_length(d.attempts) = s.bytes THEN s.attempts WHEN d.attempts = '' THEN g.attempts WHEN g.attempts = '' THEN d.attempts
      ELSE d.attempts || E'\\n' || g.attempts END
  FROM given g LEFT JOIN unnest($14::int[], $15::int[], $16::text[]) s(n, bytes, attempts) ON s.n = g.n
  WHERE d.position = g.position AND d.destination = g.destination AND d.received_at = g.received_at
    AND d.state = ${RETRYING} AND (g.state <> ${RETRYING} OR g.rounds > d.rounds)
  RETURNING d.lane, d.replay, d.state)
${addCounts(
  '$13',
  `SELECT c.lane, count(*) FILTER (WHERE state = 0), count(*) FILTER (WHERE state = 1), count(*) FILTER (WHERE state = 2),
    -count(*) FILTER (WHERE state <> ${RETRYING}), 0 FROM updated u, ${COUNTED_FOR} AND state <> ${RETRYING}
  GROUP BY c.lane`,
)}`;
