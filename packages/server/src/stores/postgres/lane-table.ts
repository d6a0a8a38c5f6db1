import type { Position } from '../../core/event.ts';
import { FORMER_PEOPLE, type Lane } from '../../core/lane.ts';
import { SHARD_POSITIONS, shardOf } from '../../core/position.ts';
import type { StreamIndex } from '../../log/stream-index.ts';
import type { Dictionary } from '../relational/dictionary.ts';
import type { Database, Queries } from './database.ts';
import { fromText } from './text.ts';

type LaneTable = Pick<StreamIndex, 'lanes' | 'openLane' | 'endLane' | 'removeLane'>;

/** The table of lanes. The count of a source at the beginning and at the end of a lane tells how many events the lane has. */
export function laneTable(database: Database, dictionary: Dictionary): LaneTable {
  return {
    async lanes() {
      const rows = await database.query<LaneRow>(`${LANES} WHERE d.name <> '${FORMER_PEOPLE}' ORDER BY l.id`);
      return rows.map(toLane);
    },

    async openLane(sourceId, destinationId, after) {
      const numberOf = await dictionary.numbers([sourceId, destinationId]);
      const [source, destination] = [numberOf(sourceId), numberOf(destinationId)];
      return database.transaction(async (queries) => {
        const through = await lockShard(queries, shardOf(after));
        const [there] = await queries.query<LaneRow>(
          `${LANES} WHERE l.source = $1 AND l.destination = $2 AND l.until IS NULL`,
          [source, destination],
        );
        if (there) return toLane(there);
        const accepted = through < after ? null : await acceptedThrough(queries, source, after);
        const [made] = await queries.query<{ id: number }>(
          `INSERT INTO lanes (source, destination, after, start_accepted, settled_through)
           VALUES ($1, $2, $3, $4, $3) RETURNING id`,
          [source, destination, after, accepted],
        );
        return { id: made?.id ?? 0, sourceId, destinationId, after, until: null };
      });
    },

    async endLane(id, until) {
      await database.transaction(async (queries) => {
        const through = await lockShard(queries, shardOf(until));
        // A concurrent settling is committed before this statement, or finds the lane ended.
        const [lane] = await queries.query<{ source: number }>(
          'SELECT source FROM lanes WHERE id = $1 AND until IS NULL FOR UPDATE',
          [id],
        );
        if (!lane) return;
        // The newest batch of the stream may have been deleted, while the rest of it is in the lane.
        const newest = Math.max(until, await newestOf(queries, lane.source));
        const last = Math.max(newest, await settledAfter(queries, id, Math.max(newest, through)));
        const accepted = through < last ? null : await acceptedThrough(queries, lane.source, last);
        await queries.query('UPDATE lanes SET until = $2, end_accepted = $3 WHERE id = $1', [id, last, accepted]);
      });
    },

    async removeLane(id) {
      await database.transaction(async (queries) => {
        await queries.query('DELETE FROM lanes WHERE id = $1', [id]);
        await queries.query('DELETE FROM lane_counts WHERE lane = $1', [id]);
      });
    },
  };
}

/** Removes the lanes of `FORMER_PEOPLE`. */
export async function removeFormerLanes(queries: Queries): Promise<void> {
  await queries.query('DELETE FROM lanes WHERE destination IN (SELECT number FROM names WHERE name = $1)', [
    FORMER_PEOPLE,
  ]);
}

/** Locks a shard for the rest of the transaction. Answers the position up to which the index has its events. */
export async function lockShard(queries: Queries, shard: number): Promise<Position> {
  const select = 'SELECT through FROM shards WHERE shard = $1 FOR UPDATE';
  const [there] = await queries.query<{ through: number }>(select, [shard]);
  if (there) return there.through;
  await queries.query('INSERT INTO shards (shard, through) VALUES ($1, 0) ON CONFLICT DO NOTHING', [shard]);
  const [made] = await queries.query<{ through: number }>(select, [shard]);
  return made?.through ?? 0;
}

async function newestOf(queries: Queries, source: number): Promise<Position> {
  const [newest] = await queries.query<{ position: number }>(
    'SELECT position FROM events WHERE source = $1 ORDER BY position DESC LIMIT 1',
    [source],
  );
  return newest?.position ?? 0;
}

/** The last settled position of a lane after this one, in the same shard; 0 if there is none. */
async function settledAfter(queries: Queries, laneId: number, after: Position): Promise<Position> {
  const [row] = await queries.query<{ position: number | null }>(
    `SELECT max(d.position) AS position FROM deliveries d
     WHERE d.position > $2 AND d.position < $3 AND d.lane = $1`,
    [laneId, after, (shardOf(after) + 1) * SHARD_POSITIONS],
  );
  return row?.position ?? 0;
}

/** How many events a source has up to a position, which must be near the end of the index. */
async function acceptedThrough(queries: Queries, source: number | undefined, position: Position): Promise<number> {
  const [row] = await queries.query<{ accepted: number }>(
    `SELECT coalesce((SELECT accepted FROM sources WHERE source = $1), 0)
      - (SELECT count(*) FROM events WHERE source = $1 AND position > $2) AS accepted`,
    [source, position],
  );
  return row?.accepted ?? 0;
}

const LANES = `SELECT l.id, s.name AS source, d.name AS destination, l.after, l.until
  FROM lanes l JOIN names s ON s.number = l.source JOIN names d ON d.number = l.destination`;

interface LaneRow {
  readonly id: number;
  readonly source: string;
  readonly destination: string;
  readonly after: number;
  readonly until: number | null;
}

function toLane({ id, source, destination, after, until }: LaneRow): Lane {
  return { id, sourceId: fromText(source), destinationId: fromText(destination), after, until };
}
