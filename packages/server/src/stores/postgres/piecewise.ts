/** Rows that one call looks at before it answers with what it has found and where it stopped. */
const ROWS_PER_PAGE = 20_000;

/** Rows the first piece looks at: most searches end with it. */
const FIRST_PIECE = 500;

/** How much larger each piece is than the one before. */
const GROWTH = 6;

/** Above every position and time, and below. */
export const HIGHEST: number = Number.MAX_SAFE_INTEGER;
export const LOWEST: number = Number.MIN_SAFE_INTEGER;

/** What a look at some rows found. */
export interface Piece<Row, Key> {
  /** In order; everything that matches as far as the rows were looked at. */
  readonly found: readonly Row[];
  /** Everything up to this key was looked at; null when nothing comes after. */
  readonly stoppedAt: Key | null;
}

export interface Page<Row, Key> {
  readonly rows: readonly Row[];
  /** The page ends with this key; null when nothing comes after. */
  readonly last: Key | null;
}

/**
 * Searches in pieces that grow, until the page is full, nothing is left or enough rows were looked at: a filter without an
 * index finds a frequent word at once, and holds up no other query when it looks for a rare one.
 */
export async function searchPiecewise<Row, Key>(
  limit: number,
  start: Key,
  keyOf: (row: Row) => Key,
  look: (after: Key, rows: number) => Promise<Piece<Row, Key>>,
): Promise<Page<Row, Key>> {
  const rows: Row[] = [];
  let after = start;
  let looked = 0;
  for (let size = Math.max(FIRST_PIECE, limit + 1); ; size *= GROWTH) {
    const piece = Math.min(size, Math.max(ROWS_PER_PAGE - looked, limit + 1));
    const { found, stoppedAt } = await look(after, piece);
    rows.push(...found);
    looked += piece;
    const last = rows[limit - 1];
    if (rows.length > limit && last !== undefined) return { rows: rows.slice(0, limit), last: keyOf(last) };
    if (stoppedAt === null || looked >= ROWS_PER_PAGE) return { rows, last: stoppedAt };
    after = stoppedAt;
  }
}

/**
 * Of the rows of several streams that were looked at side by side, those that all of them have come to. `numbered` are the
 * wanted rows and the last one of each stream: `n` is its number among the `total` that were looked at.
 */
export function merge<Row extends NumberedRow, Key>(
  numbered: readonly Row[],
  pieceSize: number,
  keyOf: (row: Row) => Key,
  compare: (a: Key, b: Key) => number,
): Piece<Row, Key> {
  let stoppedAt: Key | null = null;
  for (const row of numbered) {
    if (row.n < row.total || row.total < pieceSize) continue;
    const key = keyOf(row);
    if (stoppedAt === null || compare(key, stoppedAt) < 0) stoppedAt = key;
  }
  const reached = stoppedAt;
  const found = numbered
    .filter((row) => row.wanted && (reached === null || compare(keyOf(row), reached) <= 0))
    .toSorted((a, b) => compare(keyOf(a), keyOf(b)));
  return { found, stoppedAt };
}

export interface NumberedRow {
  readonly wanted: boolean;
  readonly n: number;
  readonly total: number;
}

/**
 * The SQL of such a look: `inner` selects at most a piece of rows of one stream, `wanted` tells which of them are searched
 * for, and the last row comes along to tell where the look ended.
 */
export function numberedSql(streams: string, stream: string, inner: string, order: string, wanted: string): string {
  return `SELECT * FROM (SELECT w.*, (${wanted}) AS wanted,
    row_number() OVER (PARTITION BY ${stream} ORDER BY ${order}) AS n, count(*) OVER (PARTITION BY ${stream}) AS total
  FROM ${streams} CROSS JOIN LATERAL (${inner}) w) numbered WHERE wanted OR n = total`;
}
