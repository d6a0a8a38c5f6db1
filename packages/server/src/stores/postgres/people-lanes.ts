import type { Clock } from '../../core/clock.ts';
import type { LogEntry, Position } from '../../core/event.ts';
import { type Cut, shardOf } from '../../core/position.ts';
import type { LaneReader } from '../../log/contract.ts';
import type { Database } from './database.ts';

export interface PeopleLanesOptions {
  readonly database: Database;
  readonly log: { fetch(positions: readonly Position[]): Promise<readonly (LogEntry | undefined)[]> };
  /** The end of the log, once everything that was accepted before this call is durable. */
  readonly end: () => Promise<Cut>;
  readonly clock: Pick<Clock, 'now'>;
  /** How often the index is asked for more, milliseconds; default 100. */
  readonly every?: number;
}

/** Most that waits in a lane and is counted, one by one: after a rebuild it is all that there ever was. */
const MOST_COUNTED = 1_000_000;

/** A reader that waits for more. */
interface Waiting {
  readonly lane: number;
  readonly cursor: Position;
  readonly go: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Reads the lanes of people/ by the stream's index, each from the position up to which the profiles have its source: what
 * comes, comes in the order of the log, also after another node read and stopped in the middle. A stream's consumer would hand out
 * again what a node held that is gone, after what came later, and people/ passes over what lies before a source's position.
 */
export class PeopleLanes {
  readonly #options: PeopleLanesOptions;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: PeopleLanesOptions) {
    this.#options = options;
  }

  /** Nothing needs to be acknowledged: the profiles' position is written with what was taken in. */
  read(lane: number): LaneReader {
    let cursor: Position | null = null;
    const reached = async (): Promise<Position> => {
      if (cursor !== null) return cursor;
      const taken = await this.#taken(lane);
      cursor ??= taken;
      return cursor;
    };
    return {
      pull: async (max, signal) => {
        for (;;) {
          signal.throwIfAborted();
          const { positions, ended } = await this.#next(lane, await reached(), max);
          const found = await this.#options.log.fetch(positions);
          // Not before: until it is here, the page is what waits.
          cursor = positions.at(-1) ?? cursor;
          const entries = found.filter((entry) => entry !== undefined);
          signal.throwIfAborted();
          if (entries.length > 0) return entries;
          if (ended) return [];
          if (positions.length === 0) await this.#more(lane, await reached(), signal);
        }
      },
      ack: () => undefined,
      waiting: () => this.#count(lane),
      oldestWaiting: async () => this.#oldest(lane, await reached(), await this.#options.end()),
    };
  }

  async #taken(lane: number): Promise<Position> {
    const sql = `SELECT ${TAKEN} AS position FROM lanes l WHERE l.id = $1`;
    return (await this.#options.database.query<{ position: number }>(sql, [lane]))[0]?.position ?? 0;
  }

  async #count(lane: number): Promise<number> {
    const [row] = await this.#options.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT FROM lanes l JOIN events e ON ${OF_LANE}
         WHERE l.id = $1 AND e.position > ${TAKEN} LIMIT ${MOST_COUNTED}) waiting`,
      [lane],
    );
    return row?.count ?? 0;
  }

  /** The next positions; and whether there is nothing after them, since the lane has ended or is gone. */
  async #next(lane: number, after: Position, max: number): Promise<{ positions: Position[]; ended: boolean }> {
    const { database } = this.#options;
    // Asked first: what the index has got by then, the next statement sees.
    const [state] = await database.query<{ ended: boolean }>(`SELECT ${ENDED} AS ended FROM lanes l WHERE l.id = $1`, [
      lane,
    ]);
    const rows = await database.queryByIndex<{ position: number }>(
      `SELECT e.position FROM lanes l CROSS JOIN LATERAL (
         SELECT e.position FROM events e WHERE ${OF_LANE} AND e.position > $2 ORDER BY e.position LIMIT $3) e
       WHERE l.id = $1 ORDER BY e.position`,
      [lane, after, max],
    );
    return { positions: rows.map(({ position }) => position), ended: (state?.ended ?? true) && rows.length < max };
  }

  /** Null only where the index has everything up to `end`: else something may have been received just now. */
  async #oldest(lane: number, after: Position, end: Cut): Promise<number | null> {
    const [row] = await this.#options.database.query<{ at: number | null; through: number | null; after: number }>(
      `SELECT l.after, (SELECT through FROM shards WHERE shard = l.after >> 49) AS through,
         (SELECT e.received_at FROM events e WHERE ${OF_LANE} AND e.position > $2 ORDER BY e.position LIMIT 1) AS at
       FROM lanes l WHERE l.id = $1`,
      [lane, after],
    );
    if (!row) return null;
    return row.at ?? ((row.through ?? 0) < (end[shardOf(row.after)] ?? 0) ? this.#options.clock.now() : null);
  }

  /** Resolves when there may be more after a position. */
  async #more(lane: number, cursor: Position, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject: fail } = Promise.withResolvers<void>();
    const go = (): void => resolve();
    const waiting = { lane, cursor, go, fail };
    this.#waiting.add(waiting);
    signal.addEventListener('abort', go, { once: true });
    this.#later();
    try {
      await promise;
    } finally {
      this.#waiting.delete(waiting);
      signal.removeEventListener('abort', go);
    }
  }

  /** One question for all who wait. */
  #later(): void {
    this.#timer ??= setTimeout(() => {
      void this.#look().finally(() => {
        this.#timer = null;
        if (this.#waiting.size > 0) this.#later();
      });
    }, this.#options.every ?? 100);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const all = [...this.#waiting];
    try {
      const rows = await this.#options.database.query<{ n: number }>(MORE, [
        all.map(({ lane }) => lane),
        all.map(({ cursor }) => cursor),
      ]);
      for (const { n } of rows) all[n - 1]?.go();
    } catch (error) {
      // Each reader's owner reports it and reads again.
      for (const { fail } of all) fail(error);
    }
  }
}

/** Events `e` of a lane `l`. */
const OF_LANE = 'e.source = l.source AND e.position > l.after AND (l.until IS NULL OR e.position <= l.until)';

/** Up to where the profiles have the source of a lane `l`. */
const TAKEN = `coalesce((SELECT p.position FROM names n JOIN profile_sources p ON p.id = n.name
  WHERE n.number = l.source), 0)`;

/** Nothing more comes to the index for a lane `l`. */
const ENDED = `(l.until IS NOT NULL AND EXISTS (SELECT FROM shards s
  WHERE s.shard = l.until >> 49 AND s.through >= l.until))`;

/** Of lanes and positions, by number from 1: those after whose position there is something, or nothing ever will be. */
const MORE = `SELECT w.n::int AS n FROM unnest($1::int[], $2::bigint[]) WITH ORDINALITY AS w(lane, cursor, n)
  LEFT JOIN lanes l ON l.id = w.lane
  WHERE l.id IS NULL OR ${ENDED} OR EXISTS (SELECT FROM events e WHERE ${OF_LANE} AND e.position > w.cursor)`;
