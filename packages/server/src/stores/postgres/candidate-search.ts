import type { CandidatePage, ReplayQuery } from '../../record/contract.ts';
import type { Names } from '../relational/names.ts';
import type { Database } from './database.ts';
import { SUMMARY, type SummaryRow, summaryOf } from './delivery-rows.ts';
import { HIGHEST, LOWEST, type NumberedRow, numberedSql, searchPiecewise } from './piecewise.ts';
import { columnsOf, toTextOrNull } from './text.ts';
import { type Bounds, boundsOf } from './time-bounds.ts';

type FoundRow = SummaryRow & NumberedRow & { readonly error: string | null };

/** See DeliveryStore.candidates. The sources are searched side by side, each in a range of an index of its positions. */
export async function searchCandidates(database: Database, names: Names, query: ReplayQuery): Promise<CandidatePage> {
  const sources = await names.known(query.sourceIds);
  const bounds = await boundsOf(database, sources, query);
  const streams = query.state === 'all' ? bounds : await failedOf(names, query.destinationId, bounds);
  if (streams.length === 0) return { items: [], next: null };
  const inner = query.state === 'all' ? OF_SOURCE : FAILED;
  const sql = numberedSql(STREAMS, inner, 'w.position', WANTED);
  const times = [query.from ?? LOWEST, query.to ?? HIGHEST];
  const filters = [toTextOrNull(query.event), toTextOrNull(query.userId), sources, query.error];
  const { rows, last } = await searchPiecewise<Pick<SummaryRow, 'position'>, FoundRow>({
    ...{ limit: query.limit, start: { position: query.after }, streams: streams.length },
    compare: (a, b) => a.position - b.position,
    look({ position }, each) {
      const ranges = columnsOf(streams, 'source', 'low', 'high');
      return database.queryByIndex(sql, [...ranges, position, each, ...times, ...filters]);
    },
  });
  const nameOf = await names.names(rows.map((row) => row.source));
  return { items: rows.map((row) => ({ ...summaryOf(row, nameOf), error: row.error })), next: last?.position ?? null };
}

/** The failed ones of a destination are one stream, within the bounds of all its sources. */
async function failedOf(names: Names, destinationId: string, bounds: readonly Bounds[]): Promise<Bounds[]> {
  const [destination] = await names.known([destinationId]);
  if (destination === undefined || bounds.length === 0) return [];
  const low = Math.min(...bounds.map((each) => each.low));
  const high = Math.max(...bounds.map((each) => each.high));
  return [{ source: destination, low, high }];
}

const STREAMS = 'unnest($1::int[], $2::bigint[], $3::bigint[]) x(number, low, high)';

const OF_SOURCE = `SELECT ${SUMMARY}, e.erased, NULL AS error FROM events e
  WHERE e.source = x.number AND e.position > greatest($4, x.low) AND e.position < x.high
    AND e.received_at >= $6 AND e.received_at < $7 ORDER BY e.position LIMIT $5`;

/**
 * How a failed delivery failed; see ReplayCandidate. Read as text, because an answer in the line may hold what PostgreSQL takes for
 * no JSON; inside of a string a quote has a backslash before it, so neither name is found there.
 */
const endOf = (line: string): string =>
  `coalesce(substring(${line} from '"status":([0-9]{3})'), substring(${line} from '"error":"([a-z_]+)"'))`;
const urlOf = (line: string): string =>
  `coalesce(substring(${line} from '"webhookId":"([^"]*)"'), substring(${line} from '"url":"([^"]*)"'))`;
const isSuccess = (line: string): string => `position('"status":2' in ${line}) > 0`;
const LINES = `unnest(string_to_array(d.attempts, E'\\n')) WITH ORDINALITY`;
const LAST = `reverse(split_part(reverse(d.attempts), E'\\n', 1))`;
const FAILED_BY = `CASE WHEN d.attempts = '' THEN d.reason WHEN NOT ${isSuccess(LAST)} THEN ${endOf(LAST)} ELSE coalesce(
  (SELECT ${endOf('a.line')} FROM ${LINES} AS a (line, place) WHERE NOT EXISTS (SELECT 1 FROM ${LINES} AS b (line, place)
    WHERE b.place >= a.place AND ${isSuccess('b.line')} AND ${urlOf('b.line')} = ${urlOf('a.line')})
    ORDER BY a.place DESC LIMIT 1), d.reason) END`;

const FAILED = `SELECT ${SUMMARY}, e.erased, ${FAILED_BY} AS error FROM deliveries d
  JOIN events e ON e.position = d.position AND e.received_at = d.received_at
  WHERE d.destination = x.number AND d.state = 1 AND d.position > greatest($4, x.low) AND d.position < x.high
    AND d.received_at >= $6 AND d.received_at < $7 ORDER BY d.position LIMIT $5`;

const WANTED = `NOT w.erased AND ($8::text IS NULL OR w.name = $8) AND ($9::text IS NULL OR w.user_id = $9)
  AND w.source = ANY($10::int[]) AND ($11::text IS NULL OR w.error = $11
    OR ($11 ~ '^[0-9]xx$' AND w.error ~ '^[0-9]{3}$' AND left(w.error, 1) = left($11, 1)))`;
