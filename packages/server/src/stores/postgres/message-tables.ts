import { numberOfState } from '../../core/delivery.ts';
import type { Position } from '../../core/event.ts';
import type { Dictionary } from '../relational/dictionary.ts';
import type { DeliveryRow, SummaryRow } from '../relational/message-rows.ts';
import type { AskedEvents, Looking, MessageTables, Place } from '../relational/message-search.ts';
import { HIGHEST, LOWEST, type Piece } from '../relational/piecewise.ts';
import { type Statement, sql } from '../relational/sql.ts';
import { byIndex, type Database, type Queries } from './database.ts';
import { attemptsIn, SUMMARY } from './delivery-rows.ts';
import { arrayOf, run } from './sql.ts';
import { fromText } from './text.ts';
import { boundsOf } from './time-bounds.ts';

/** Events and deliveries in PostgreSQL. Streams are searched in parallel, each in a range of an index. */
export function messageTables(database: Database, names: Dictionary): MessageTables {
  const queries = byIndex(database);
  return {
    ...{ names, fromText, cursor: BY_TIME },
    attemptsOf: (row) => attemptsIn((row as StoredDelivery).attempts),

    async existing(some) {
      const isOne = some ? sql`WHERE destination = ANY(${arrayOf(some)}::int[])` : sql``;
      const rows = await run<{ destination: number }>(database, sql`SELECT DISTINCT destination FROM lanes ${isOne}`);
      return rows.map(({ destination }) => destination);
    },

    deliveriesAt: (position) =>
      run<StoredDelivery>(
        database,
        sql`SELECT ${SUMMARY}, ${DELIVERY} FROM events e
          JOIN deliveries d ON d.position = e.position AND d.received_at = e.received_at
          WHERE e.position = ${position} ORDER BY d.destination`,
      ),

    statesAt: (positions) =>
      run(
        database,
        sql`SELECT position, destination, state FROM deliveries d WHERE position = ANY(${arrayOf(positions)}::bigint[])
          ORDER BY position, destination`,
      ),

    /** By time, and for all states except processed by state and time. */
    deliveries({ destinations, indexed, wanted, ...times }) {
      const isState = indexed === null ? sql`` : sql`AND d.state <> 0 AND d.state = ${indexed}`;
      return {
        order: [...BY_TIME, 'destination'],
        streams: destinations.length,
        look: ({ received_at, position, destination = 0 }, each) =>
          look<StoredDelivery>(queries, each, {
            streams: sql`unnest(${arrayOf(destinations)}::int[]) x(number)`,
            inner: sql`SELECT ${SUMMARY}, ${DELIVERY} FROM deliveries d
              JOIN events e ON e.position = d.position AND e.received_at = d.received_at
              WHERE d.destination = x.number ${isState} AND ${isWithin(sql`d.received_at`, times)}
                AND (d.received_at, d.position) < (${received_at}, ${position}::bigint + (x.number < ${destination}::bigint)::int)`,
            order: sql`received_at DESC, position DESC`,
            wanted,
          }),
      };
    },

    async events(asked) {
      const { where, time, order, fields } = await wayTo(database, asked);
      return {
        order: fields,
        streams: 1,
        look: (after, each) =>
          look<SummaryRow>(queries, each, {
            streams: sql`(VALUES (0)) x(number)`,
            inner: sql`SELECT ${SUMMARY} FROM events e WHERE ${where(after)} AND ${isWithin(time, asked)}`,
            order,
            wanted: asked.wanted,
          }),
      };
    },

    /** Each source in its range of positions. Failed deliveries of a destination are one stream, within the bounds of all its sources. */
    async candidates({ sources, destination, failed, wanted, ...times }) {
      const bounds = await boundsOf(database, sources, times);
      const [lows, highs] = [bounds.map(({ low }) => low), bounds.map(({ high }) => high)];
      const one = { source: destination, low: Math.min(...lows), high: Math.max(...highs) };
      const streams = failed && bounds.length > 0 ? [one] : bounds;
      const isIn = (position: Statement, after: Position): Statement =>
        sql`${position} > greatest(${after}, x.low) AND ${position} < x.high`;
      const inner = (after: Position): Statement =>
        failed
          ? sql`SELECT ${SUMMARY}, e.erased, ${WITHOUT_ANSWERS} AS attempts, d.reason FROM deliveries d
              JOIN events e ON e.position = d.position AND e.received_at = d.received_at
              WHERE d.destination = x.number AND d.state = ${FAILED} AND ${isIn(sql`d.position`, after)}
                AND ${isWithin(sql`d.received_at`, times)}`
          : sql`SELECT ${SUMMARY}, e.erased FROM events e
              WHERE e.source = x.number AND ${isIn(sql`e.position`, after)} AND ${isWithin(sql`e.received_at`, times)}`;
      return {
        streams: streams.length,
        look: ({ position }, each) =>
          look<SummaryRow>(queries, each, {
            streams: sql`unnest(${arrayOf(streams.map(({ source }) => source))}::int[],
              ${arrayOf(streams.map(({ low }) => low))}::bigint[],
              ${arrayOf(streams.map(({ high }) => high))}::bigint[]) x(number, low, high)`,
            inner: inner(position),
            order: sql`position`,
            wanted: sql`NOT erased AND ${wanted}`,
          }),
      };
    },
  };
}

const BY_TIME = ['received_at', 'position'] as const;

type StoredDelivery = DeliveryRow & { readonly attempts: string };

const DELIVERY = sql`d.destination, d.state, d.reason, d.attempts, d.rounds, d.due_at, d.urls_left, d.at`;

/** A number in the text: an index has only failed deliveries. */
const FAILED: Statement = { text: String(numberOfState('failed')), values: [] };

/** The answers are the longest of the attempts, and tell no error. */
const WITHOUT_ANSWERS = sql`regexp_replace(d.attempts, '"answer":"(\\\\.|[^"\\\\])*"', '"answer":null', 'g')`;

interface NumberedRow {
  readonly wanted: boolean;
  /** Number of the row in its stream's piece. The piece has `total` rows. */
  readonly n: number;
  readonly total: number;
}

interface Looked {
  /** Streams `x`, each with a `number`. */
  readonly streams: Statement;
  /** Selects the rows of a stream. */
  readonly inner: Statement;
  readonly order: Statement;
  readonly wanted: Statement;
}

/** Looks at the first rows of each stream. The last one is always returned, to tell where the piece ended. */
async function look<Row extends object>(
  queries: Queries,
  each: number,
  { streams, inner, order, wanted }: Looked,
): Promise<Piece<Row>> {
  const found = await run<Row & NumberedRow>(
    queries,
    sql`SELECT * FROM (SELECT w.*, (${wanted}) AS wanted,
        row_number() OVER (PARTITION BY x.number ORDER BY ${order}) AS n, count(*) OVER (PARTITION BY x.number) AS total
      FROM ${streams} CROSS JOIN LATERAL (${inner} ORDER BY ${order} LIMIT ${each}) w) numbered WHERE wanted OR n = total`,
  );
  return {
    rows: found.filter(({ wanted }) => wanted),
    ends: found.filter(({ n, total }) => n === total && total >= each),
  };
}

/** How events are found: what they must be to come after a place, their time, and their order. */
interface Way {
  readonly where: (after: Place) => Statement;
  readonly time: Statement;
  readonly order: Statement;
  readonly fields: Looking<SummaryRow>['order'];
}

/** A messageId, a source and bounds of time are ranges of an index. Events of one source are searched by position, others by time. */
async function wayTo(database: Database, { messageId, source, ...times }: AskedEvents): Promise<Way> {
  if (messageId !== null) {
    const isOf = source === null ? sql`` : sql`AND e.source + 0 = ${source}`;
    // Times and positions are expressions here, so that the planner uses the index of the messageId and sorts its rows.
    return {
      where: ({ received_at, position }) =>
        sql`hashtextextended(e.message_id, 0) = hashtextextended(${messageId}, 0) ${isOf}
          AND (e.received_at + 0, e.position + 0) < (${received_at}, ${position})`,
      time: sql`(e.received_at + 0)`,
      order: sql`(received_at + 0) DESC, (position + 0) DESC`,
      fields: BY_TIME,
    };
  }
  const time = sql`e.received_at`;
  if (source === null) {
    return {
      where: ({ received_at, position }) => sql`(e.received_at, e.position) < (${received_at}, ${position})`,
      ...{ time, order: sql`received_at DESC, position DESC`, fields: BY_TIME },
    };
  }
  const [{ low, high } = { low: LOWEST, high: HIGHEST }] = await boundsOf(database, [source], times);
  return {
    where: ({ position }) =>
      sql`e.source = ${source} AND e.position > ${low} AND e.position < ${Math.min(high, position)}`,
    ...{ time, order: sql`position DESC`, fields: ['position'] },
  };
}

function isWithin(column: Statement, { from, to }: Pick<AskedEvents, 'from' | 'to'>): Statement {
  return sql`${column} >= ${from ?? LOWEST} AND ${column} < ${to ?? HIGHEST}`;
}
