/** Rows that one call looks at before it answers with what it has found and where it stopped. */
const ROWS_PER_PAGE = 20_000;

/** Rows the first piece looks at: most searches end with it. */
const FIRST_PIECE = 500;

/** How much larger each piece is than the one before. */
const GROWTH = 6;

/** Above every position and time, and below. */
export const HIGHEST: number = Number.MAX_SAFE_INTEGER;
export const LOWEST: number = Number.MIN_SAFE_INTEGER;

/** What is looked through: streams of rows, side by side, each in the order of its keys, whose fields a row has. */
export interface Search<Key, Row extends Key & NumberedRow> {
  readonly limit: number;
  /** Only what comes after this is looked at. */
  readonly start: Key;
  readonly streams: number;
  readonly compare: (a: Key, b: Key) => number;
  /** Rows of `numberedSql`: of each stream at most `each` were looked at, after a key. */
  readonly look: (after: Key, each: number) => Promise<Row[]>;
}

export interface Page<Key, Row> {
  readonly rows: readonly Row[];
  /** The page ends with this key; null when nothing comes after. */
  readonly last: Key | null;
}

/**
 * Searches in pieces that grow, until the page is full, nothing is left or enough rows were looked at: a filter without an
 * index finds a frequent word at once, and holds up no other query when it looks for a rare one.
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
    // So far all streams have come: one that was looked at to its end holds up no other.
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
  /** Whether it is searched for. */
  readonly wanted: boolean;
  /** Its number among the `total` of its stream that were looked at. */
  readonly n: number;
  readonly total: number;
}

/**
 * The SQL of a look: `inner` selects at most a piece of rows of a stream `x.number`, `wanted` tells which of them are searched
 * for, and the last row comes along to tell where the look ended.
 */
export function numberedSql(streams: string, inner: string, order: string, wanted: string): string {
  return `SELECT * FROM (SELECT w.*, (${wanted}) AS wanted,
    row_number() OVER (PARTITION BY x.number ORDER BY ${order}) AS n, count(*) OVER (PARTITION BY x.number) AS total
  FROM ${streams} CROSS JOIN LATERAL (${inner}) w) numbered WHERE wanted OR n = total`;
}
