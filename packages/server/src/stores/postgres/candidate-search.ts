import { failureOf, isEnd, lastFailure } from '../../core/tally.ts';
import type { CandidatePage, ReplayQuery } from '../../record/contract.ts';
import type { Dictionary } from '../relational/dictionary.ts';
import type { Database } from './database.ts';
import { attemptsIn, SUMMARY, type SummaryRow, summaryOf } from './delivery-rows.ts';
import { HIGHEST, LOWEST, type NumberedRow, numberedSql, searchPiecewise } from './piecewise.ts';
import { columnsOf, fromTextOrNull, toTextOrNull } from './text.ts';
import { type Bounds, boundsOf } from './time-bounds.ts';

/** `attempts` have no answers (`ENDS`); null if messages of every state are searched. */
type FoundRow = SummaryRow & NumberedRow & { readonly attempts: string | null; readonly reason: string | null };

/** See DeliveryStore.candidates. The sources are searched in parallel, each in its range of an index of positions. */
export async function searchCandidates(
  database: Database,
  dictionary: Dictionary,
  query: ReplayQuery,
): Promise<CandidatePage> {
  const sources = await dictionary.known(query.sourceIds);
  const bounds = await boundsOf(database, sources, query);
  const streams = query.state === 'all' ? bounds : await failedOf(dictionary, query.destinationId, bounds);
  if (streams.length === 0) return { items: [], next: null };
  const inner = query.state === 'all' ? OF_SOURCE : FAILED;
  const sql = numberedSql(STREAMS, inner, 'w.position', WANTED);
  const times = [query.from ?? LOWEST, query.to ?? HIGHEST];
  // Attempts contain the error. The database leaves out deliveries whose attempts and reason do not contain this text.
  const told = query.error?.replace(/^(\d+)(xx)?$/, '"status":$1') ?? null;
  const filters = [toTextOrNull(query.event), toTextOrNull(query.userId), sources, told];
  const isAsked = (row: FoundRow): boolean => query.error === null || isEnd(errorOf(row), query.error);
  const { rows, last } = await searchPiecewise<Pick<SummaryRow, 'position'>, FoundRow>({
    ...{ limit: query.limit, start: { position: query.after }, streams: streams.length },
    compare: (a, b) => a.position - b.position,
    async look({ position }, each) {
      const ranges = columnsOf(streams, 'source', 'low', 'high');
      const values = [...ranges, position, each, ...times, ...filters];
      const found = await database.queryByIndex<FoundRow>(sql, values);
      return found.map((row) => ({ ...row, wanted: row.wanted && isAsked(row) }));
    },
  });
  const idOf = await dictionary.ids(rows.map((row) => row.source));
  return {
    items: rows.map((row) => ({ ...summaryOf(row, idOf), error: errorOf(row) })),
    next: last?.position ?? null,
  };
}

/** Why a delivery failed; see ReplayCandidate. */
function errorOf({ attempts, reason }: FoundRow): string | null {
  return attempts === null ? null : failureOf(lastFailure(attemptsIn(attempts)), fromTextOrNull(reason));
}

/** The failed deliveries of a destination are one stream, within the common bounds of all its sources. */
async function failedOf(dictionary: Dictionary, destinationId: string, bounds: readonly Bounds[]): Promise<Bounds[]> {
  const [destination] = await dictionary.known([destinationId]);
  if (destination === undefined || bounds.length === 0) return [];
  const low = Math.min(...bounds.map((each) => each.low));
  const high = Math.max(...bounds.map((each) => each.high));
  return [{ source: destination, low, high }];
}

const STREAMS = 'unnest($1::int[], $2::bigint[], $3::bigint[]) x(number, low, high)';

const OF_SOURCE = `SELECT ${SUMMARY}, e.erased, NULL AS attempts, NULL AS reason FROM events e
  WHERE e.source = x.number AND e.position > greatest($4, x.low) AND e.position < x.high
    AND e.received_at >= $6 AND e.received_at < $7 ORDER BY e.position LIMIT $5`;

/** The attempts without their answers, which are the longest of them and tell nothing here. */
const ENDS = `regexp_replace(d.attempts, '"answer":"(?:\\\\.|[^"\\\\])*"', '"answer":null', 'g')`;

const FAILED = `SELECT ${SUMMARY}, e.erased, ${ENDS} AS attempts, d.reason FROM deliveries d
  JOIN events e ON e.position = d.position AND e.received_at = d.received_at
  WHERE d.destination = x.number AND d.state = 1 AND d.position > greatest($4, x.low) AND d.position < x.high
    AND d.received_at >= $6 AND d.received_at < $7 ORDER BY d.position LIMIT $5`;

const WANTED = `NOT w.erased AND ($8::text IS NULL OR w.name = $8) AND ($9::text IS NULL OR w.user_id = $9)
  AND w.source = ANY($10::int[]) AND ($11::text IS NULL OR position($11 in concat(w.attempts, w.reason)) > 0)`;
