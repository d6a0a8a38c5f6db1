import { EVENT_TYPES } from '../../core/event.ts';
import type { EventPage, EventQuery } from '../../record/contract.ts';
import type { Dictionary } from '../relational/dictionary.ts';
import type { Database } from './database.ts';
import { SUMMARY, type SummaryRow, summaryOf } from './delivery-rows.ts';
import { HIGHEST, LOWEST, type NumberedRow, numberedSql, searchPiecewise } from './piecewise.ts';
import { toTextOrNull } from './text.ts';
import { boundsOf } from './time-bounds.ts';

/** Where a page of events ends. Newest first. */
type Key = Pick<SummaryRow, 'received_at' | 'position'>;

type FoundRow = SummaryRow & NumberedRow;

/** How events are searched: those of one source by position, those of several by time. */
interface Way {
  readonly where: string;
  /** The expression that the bounds of time are compared with. */
  readonly time: string;
  readonly order: string;
  readonly compare: (a: Key, b: Key) => number;
  /** The values of `where`, from $8 on. */
  readonly values: (after: Key) => readonly unknown[];
}

/**
 * See DeliveryStore.events. A messageId, a source and bounds of time are ranges of an index. The other words of the query are
 * compared row by row.
 */
export async function searchEvents(database: Database, dictionary: Dictionary, query: EventQuery): Promise<EventPage> {
  const [source] = query.sourceId === null ? [] : await dictionary.known([query.sourceId]);
  if (query.sourceId !== null && source === undefined) return { items: [], next: null };
  const { where, time, order, compare, values } =
    query.messageId !== null && query.match !== 'prefix'
      ? byMessage(source ?? null)
      : source === undefined
        ? BY_TIME
        : await bySource(database, source, query);
  const inner = `SELECT ${SUMMARY} FROM events e
    WHERE ${where} AND ${time} >= $1 AND ${time} < $2 ORDER BY ${order} LIMIT $3`;
  const sql = numberedSql('(VALUES (0)) x(number)', inner, order, query.match === 'prefix' ? BEGINNING : WHOLE);
  const words = [query.event, query.userId, query.messageId].map(toTextOrNull);
  const type = query.type === null ? null : EVENT_TYPES.indexOf(query.type);
  const bounds = [query.from ?? LOWEST, query.to ?? HIGHEST];
  const { rows, last } = await searchPiecewise<Key, FoundRow>({
    ...{ limit: query.limit, streams: 1, compare },
    start: query.cursor === null ? { received_at: HIGHEST, position: HIGHEST } : parse(query.cursor),
    look: (after, each) => database.queryByIndex(sql, [...bounds, each, ...words, type, ...values(after)]),
  });
  const idOf = await dictionary.ids(rows.map((row) => row.source));
  return { items: rows.map((row) => summaryOf(row, idOf)), next: last && `${last.received_at}-${last.position}` };
}

const WHOLE = `($4::text IS NULL OR w.name = $4) AND ($5::text IS NULL OR w.user_id = $5)
  AND ($6::text IS NULL OR w.message_id = $6) AND ($7::int IS NULL OR w.type = $7)`;

/** The columns have the collation "C", which knows only A to Z as letters with a lower case. */
const BEGINNING = `($4::text IS NULL OR starts_with(lower(w.name), lower($4 COLLATE "C")))
  AND ($5::text IS NULL OR starts_with(lower(w.user_id), lower($5 COLLATE "C")))
  AND ($6::text IS NULL OR starts_with(lower(w.message_id), lower($6 COLLATE "C"))) AND ($7::int IS NULL OR w.type = $7)`;

async function bySource(database: Database, source: number, query: EventQuery): Promise<Way> {
  const [bounds] = await boundsOf(database, [source], query);
  return {
    where: 'e.source = $8 AND e.position > $9 AND e.position < least($10, $11::bigint)',
    time: 'e.received_at',
    order: 'position DESC',
    compare: newest,
    values: ({ position }) => [source, bounds?.low ?? LOWEST, bounds?.high ?? HIGHEST, position],
  };
}

const BY_TIME: Way = {
  where: '(e.received_at, e.position) < ($8, $9)',
  time: 'e.received_at',
  order: 'received_at DESC, position DESC',
  compare: newestOfAll,
  values: ({ received_at, position }) => [received_at, position],
};

/** Times and positions are expressions here, so that the planner uses the index of the messageId and sorts its rows. */
function byMessage(source: number | null): Way {
  return {
    where: `hashtextextended(e.message_id, 0) = hashtextextended($6, 0)
      AND ($10::int IS NULL OR e.source + 0 = $10) AND (e.received_at + 0, e.position + 0) < ($8, $9)`,
    time: '(e.received_at + 0)',
    order: '(received_at + 0) DESC, (position + 0) DESC',
    compare: newestOfAll,
    values: ({ received_at, position }) => [received_at, position, source],
  };
}

function newest(a: Key, b: Key): number {
  return b.position - a.position;
}

function newestOfAll(a: Key, b: Key): number {
  return b.received_at - a.received_at || newest(a, b);
}

function parse(cursor: string): Key {
  const [received_at = 0, position = 0] = cursor.split('-').map(Number);
  return { received_at, position };
}
