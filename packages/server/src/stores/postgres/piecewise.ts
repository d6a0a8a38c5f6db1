/** How many rows one page searches. Then it answers with what it has found and where it stopped. */
const ROWS_PER_PAGE = 20_000;

/** Rows of the first piece. Most searches end with it. */
const FIRST_PIECE = 500;

/** How much larger each piece is than the one before. */
const GROWTH = 6;

/** Above and below every position and time. */
export const HIGHEST: number = Number.MAX_SAFE_INTEGER;
export const LOWEST: number = Number.MIN_SAFE_INTEGER;

/** What is searched: streams of rows in parallel, each in the order of its keys. A row has the fields of its key. */
export interface Search<Key, Row extends Key & NumberedRow> {
  readonly limit: number;
  /** The search begins after this key. */
  readonly start: Key;
  readonly streams: number;
  readonly compare: (a: Key, b: Key) => number;
  /** Searches at most `each` rows of each stream after a key, with a statement of `numberedSql`. */
  readonly look: (after: Key, each: number) => Promise<Row[]>;
}

export interface Page<Key, Row> {
  readonly rows: readonly Row[];
  /** The key with which the page ends; null if nothing follows. */
  readonly last: Key | null;
}

/**
 * Searches in pieces that grow, until the page is full, nothing is left, or `ROWS_PER_PAGE` rows were searched. So a filter
 * without an index finds a frequent word at once, and the search for a rare word delays no other query.
 */
export async function searchPiecewise<Key, Row extends Key & NumberedRow>(
  search: Search<Key, Row>,
): Promise<Page<Key, Row>> {
  const { limit, start, streams, compare, look } = search;
  const rows: Row[] = [];
  let after = start;
  let looked = 0;
  for (let size = Math.max(FIRST_PIECE, limit + 1); ; size *= GROWTH) {
    const piece = Math.min(size, Math.max(ROWS_PER_PAGE - looked, limit + 1));
    const each = Math.max(limit + 1, Math.ceil(piece / streams));
    const found = await look(after, each);
    // Up to this key every stream was searched. A stream that was searched to its end does not count.
    const [reached] = found.filter(({ n, total }) => n === total && total >= each).toSorted(compare);
    const wanted = found.filter((row) => row.wanted && (!reached || compare(row, reached) <= 0));
    rows.push(...wanted.toSorted(compare));
    looked += piece;
    const last = rows[limit - 1];
    if (rows.length > limit && last !== undefined) return { rows: rows.slice(0, limit), last };
    if (!reached || looked >= ROWS_PER_PAGE) return { rows, last: reached ?? null };
    after = reached;
  }
}

export interface NumberedRow {
  /** Whether the row is a result. If not, it only marks the end of the piece. */
  readonly wanted: boolean;
  /** Number of the row in its stream's piece. The piece has `total` rows. */
  readonly n: number;
  readonly total: number;
}

/**
 * The SQL of a piece. `inner` selects at most a piece of rows of a stream `x.number`. `wanted` tells which of them are results.
 * The last row is always returned, to tell where the piece ended.
 */
export function numberedSql(streams: string, inner: string, order: string, wanted: string): string {
  return `SELECT * FROM (SELECT w.*, (${wanted}) AS wanted,
    row_number() OVER (PARTITION BY x.number ORDER BY ${order}) AS n, count(*) OVER (PARTITION BY x.number) AS total
  FROM ${streams} CROSS JOIN LATERAL (${inner}) w) numbered WHERE wanted OR n = total`;
}
