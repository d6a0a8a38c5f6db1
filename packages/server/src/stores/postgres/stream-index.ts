import pLimit from 'p-limit';
import { carriedIds } from '../../core/carried-ids.ts';
import { EVENT_TYPES, type LogEntry, type Position } from '../../core/event.ts';
import { partsOutside, shardOf } from '../../core/position.ts';
import { MOST_COUNTED } from '../../log/contract.ts';
import type { SourceDuplicates, StreamIndex } from '../../log/stream-index.ts';
import { keepLoss, keptLosses } from '../relational/losses.ts';
import { clusterId, isUsed } from './cluster.ts';
import { byIndex, type Queries } from './database.ts';
import { knownIds } from './known-ids.ts';
import { laneTable, lockShard } from './lane-table.ts';
import { newestEvents } from './newest-events.ts';
import { OldestWaiting } from './oldest-waiting.ts';
import { fromText, insertRows, type Row, toText, toTextOrNull } from './text.ts';
import type { PostgresWorld } from './world.ts';

/** The index of a stream in PostgreSQL. See log/stream-index.ts for its promises. */
export function postgresStreamIndex(
  world: PostgresWorld,
  isFilledElsewhere: StreamIndex['isFilledElsewhere'],
): StreamIndex {
  const { sql, indexing: database, database: lanes, queries, dictionary, partitions, clock, placeholderIds } = world;
  const oldest = new OldestWaiting(lanes, dictionary);
  /** Limits the lanes' queries: thousands of lanes may ask at once, and settling needs connections too. */
  const asking = pLimit(MOST_ASKING);

  let cluster: string | null = null;

  return {
    async cluster() {
      cluster ??= await clusterId(sql);
      return cluster;
    },

    isNew: async () => !(await isUsed(database)),
    isFilledElsewhere,

    ...laneTable(database, dictionary),
    known: knownIds(database),

    async add(shard, entries, through, duplicates) {
      const numberOf = await dictionary.numbers([...entries, ...duplicates].map(({ sourceId }) => sourceId));
      const times = entries.map(({ receivedAt }) => receivedAt);
      const addThem = async (queries: Queries): Promise<void> => {
        const before = await lockShard(queries, shard);
        if (through <= before) return;
        const isNew = ({ position }: { readonly position: Position }): boolean => position > before;
        const added = entries.filter(isNew);
        await insertEvents(queries, added, numberOf, placeholderIds);
        await countLanes(queries, shard, through, added, numberOf);
        await countSources(queries, shard, added, duplicates.filter(isNew), numberOf);
        await queries.query('UPDATE shards SET through = $2 WHERE shard = $1', [shard, through]);
      };
      await partitions.write(times, () => database.transaction(addThem));
    },

    async through(shard) {
      const [row] = await database.query<{ through: number }>('SELECT through FROM shards WHERE shard = $1', [shard]);
      return row?.through ?? 0;
    },

    countAfter: (after, through) => countBetween(byIndex(database), after, through),

    async find(messageId, sourceIds, owner) {
      const sources = await dictionary.known(sourceIds);
      const [row] = await database.query<{ position: number }>(
        `SELECT e.position FROM events e WHERE hashtextextended(e.message_id, 0) = hashtextextended($1, 0)
         AND e.message_id = $1 AND ${NOT_BY_SOURCE} = ANY($2::int[]) AND NOT e.erased
         AND ($3::text IS NULL OR coalesce(e.user_id, e.anonymous_id, '') = $3)
         ORDER BY e.received_at + 0 DESC, e.position + 0 DESC LIMIT 1`,
        [toText(messageId), sources, toTextOrNull(owner ?? null)],
      );
      return row?.position;
    },

    async totals() {
      const rows = await database.query<{ name: string; accepted: number; duplicates: number }>(
        'SELECT n.name, s.accepted, s.duplicates FROM sources s JOIN names n ON n.number = s.source',
      );
      return new Map(rows.map(({ name, accepted, duplicates }) => [fromText(name), { accepted, duplicates }]));
    },

    async lose(after, through, what) {
      // The lock makes other nodes that find the loss see what this one has recorded.
      const noteRest = async (queries: Queries): Promise<number> => {
        await lockShard(queries, shardOf(after));
        const kept = (await keptLosses(sql).list()).map(({ id }) => {
          const [begin = 0, last = 0] = id.split('-').map(Number);
          return { first: begin + 1, last };
        });
        kept.sort((a, b) => a.first - b.first);
        for (const { first, last } of partsOutside({ first: after + 1, last: through }, kept)) {
          const from = first - 1;
          const events = await countBetween(queries, from, last);
          await keepLoss(sql, { id: `${from}-${last}`, foundAt: clock.now(), events, what: what(from, last) });
        }
        return countBetween(queries, after, through);
      };
      return database.transaction(noteRest, { byIndex: true });
    },

    async taken(laneId, positions) {
      const rows = await asking(() => lanes.query<{ position: number }>(TAKEN, [laneId, positions]));
      return new Set(rows.map(({ position }) => position));
    },

    settledThrough: (laneId) => asking(() => oldest.settledThrough(laneId)),

    async replaced(batches) {
      const rows = await database.query<{ batch: number; bytes: Uint8Array }>(
        'SELECT pack AS batch, bytes FROM replaced_packs WHERE pack = ANY($1::bigint[])',
        [batches],
      );
      return new Map(rows.map(({ batch, bytes }) => [batch, bytes]));
    },

    async nextReplaced(from, before) {
      const [row] = await database.query<{ batch: number | null }>(
        'SELECT min(pack) AS batch FROM replaced_packs WHERE pack >= $1 AND pack < $2',
        [from, before],
      );
      return row?.batch ?? undefined;
    },

    layout: () => world.node.layout,
    newest: newestEvents(queries),
  };
}

async function countBetween(queries: Queries, after: Position, through: Position): Promise<number> {
  const [row] = await queries.query<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT FROM events WHERE position > $1 AND position <= $2 LIMIT ${MOST_COUNTED}) e`,
    [after, through],
  );
  return row?.count ?? 0;
}

/** An expression, so that the planner does not use the source's index when it looks up a messageId. */
const NOT_BY_SOURCE = '(e.source + 0)';

// The LIMITs keep the planner from joins that read a whole partition.
const TAKEN = `SELECT p.position FROM unnest($2::bigint[]) p(position)
  CROSS JOIN LATERAL (SELECT FROM deliveries d WHERE d.position = p.position
    AND d.destination = (SELECT destination FROM lanes WHERE id = $1) LIMIT 1) settled
  UNION ALL
  SELECT p.position FROM unnest($2::bigint[]) p(position)
  JOIN shards s ON s.shard = p.position >> 49 AND s.through >= p.position
  WHERE (SELECT e.position FROM events e WHERE e.position = p.position LIMIT 1) IS NULL`;

/** How many of the lanes' queries run at a time. */
const MOST_ASKING = 2;

type NumberOf = (sourceId: string) => number;

/** Adds rows of events. Their partitions must exist. An event without a body was removed before. */
export async function insertEvents(
  queries: Queries,
  entries: readonly LogEntry[],
  numberOf: NumberOf,
  placeholderIds?: ReadonlySet<string>,
): Promise<void> {
  const rows = entries.map((entry): Row => {
    const { position, receivedAt, sourceId, type, messageId, name, userId } = entry;
    const { anonymousId, previousId } = carriedIds(entry, placeholderIds);
    return {
      ...{ position, received_at: receivedAt, source: numberOf(sourceId), type: EVENT_TYPES.indexOf(type) },
      ...{ message_id: toText(messageId), name: toTextOrNull(name), user_id: toTextOrNull(userId) },
      ...{ anonymous_id: toTextOrNull(anonymousId), previous_id: toTextOrNull(previousId) },
      erased: entry.body.byteLength === 0,
    };
  });
  await insertRows(queries, 'events', rows);
}

/**
 * Stores the sources' counts at beginnings and ends of lanes that are among these entries. The entries are not yet counted for
 * their sources. Older beginnings and ends were counted when the lane was opened or ended.
 */
async function countLanes(
  queries: Queries,
  shard: number,
  through: Position,
  entries: readonly LogEntry[],
  numberOf: NumberOf,
): Promise<void> {
  const lanes = await queries.query<UncountedLane>(
    `SELECT l.id, l.source, l.after, l.until, l.start_accepted, l.end_accepted, coalesce(s.accepted, 0) AS accepted
     FROM lanes l LEFT JOIN sources s ON s.source = l.source
     WHERE l.start_accepted IS NULL OR (l.until IS NOT NULL AND l.end_accepted IS NULL) ORDER BY l.id`,
  );
  const isIn = (position: Position | null): position is Position =>
    position !== null && shardOf(position) === shard && position <= through;
  for (const lane of lanes) {
    const upTo = (position: Position): number =>
      lane.accepted +
      entries.filter((entry) => entry.position <= position && numberOf(entry.sourceId) === lane.source).length;
    const start = lane.start_accepted ?? (isIn(lane.after) ? upTo(lane.after) : null);
    const end = lane.end_accepted ?? (isIn(lane.until) ? upTo(lane.until) : null);
    if (start === lane.start_accepted && end === lane.end_accepted) continue;
    await queries.query('UPDATE lanes SET start_accepted = $2, end_accepted = $3 WHERE id = $1', [lane.id, start, end]);
  }
}

interface UncountedLane {
  readonly id: number;
  readonly source: number;
  readonly after: number;
  readonly until: number | null;
  readonly start_accepted: number | null;
  readonly end_accepted: number | null;
  /** How many events of the source are counted so far. */
  readonly accepted: number;
}

async function countSources(
  queries: Queries,
  shard: number,
  entries: readonly LogEntry[],
  duplicates: readonly SourceDuplicates[],
  numberOf: NumberOf,
): Promise<void> {
  const sums = new Map<number, { accepted: number; duplicates: number }>();
  const sumOf = (sourceId: string): { accepted: number; duplicates: number } => {
    const source = numberOf(sourceId);
    const sum = sums.get(source) ?? { accepted: 0, duplicates: 0 };
    sums.set(source, sum);
    return sum;
  };
  for (const { sourceId } of entries) sumOf(sourceId).accepted++;
  for (const { sourceId, count } of duplicates) sumOf(sourceId).duplicates += count;
  if (sums.size === 0) return;
  await queries.query(
    `INSERT INTO sources (source, shard, accepted, duplicates)
     SELECT s, $1, a, d FROM unnest($2::int[], $3::bigint[], $4::bigint[]) t(s, a, d) ORDER BY s
     ON CONFLICT (source) DO UPDATE SET
       accepted = sources.accepted + excluded.accepted, duplicates = sources.duplicates + excluded.duplicates`,
    [
      shard,
      [...sums.keys()],
      [...sums.values()].map(({ accepted }) => accepted),
      [...sums.values()].map((sum) => sum.duplicates),
    ],
  );
}
