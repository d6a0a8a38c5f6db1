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
export interface Search<Key, Row extends Key> {
  readonly limit: number;
  /** The search begins after this key. */
  readonly start: Key;
  readonly streams: number;
  readonly compare: (a: Key, b: Key) => number;
  /** Searches at most `each` rows of each stream after a key. In a stream in which it finds `enough`, it may end there. */
  readonly look: (after: Key, each: number, enough: number) => Promise<Piece<Row>>;
}

export interface Piece<Row> {
  /** The rows that the search wants. */
  readonly rows: readonly Row[];
  /** The last row, wanted or not, of each stream that may have more. */
  readonly ends: readonly Row[];
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
export async function searchPiecewise<Key, Row extends Key>(search: Search<Key, Row>): Promise<Page<Key, Row>> {
  const { limit, start, streams, compare, look } = search;
  const rows: Row[] = [];
  if (streams === 0) return { rows, last: null };
  let after = start;
  let looked = 0;
  for (let size = Math.max(FIRST_PIECE, limit + 1); ; size *= GROWTH) {
    const piece = Math.min(size, Math.max(ROWS_PER_PAGE - looked, limit + 1));
    const each = Math.max(1, Math.ceil(piece / streams));
    const found = await look(after, each, limit + 1);
    // Up to this key every stream was searched.
    const [reached] = found.ends.toSorted(compare);
    const passed = found.rows.filter((row) => !reached || compare(row, reached) <= 0);
    rows.push(...passed.toSorted(compare));
    looked += each * streams;
    const last = rows[limit - 1];
    if (rows.length > limit && last !== undefined) return { rows: rows.slice(0, limit), last };
    if (!reached || looked >= ROWS_PER_PAGE) return { rows, last: reached ?? null };
    after = reached;
  }
}
