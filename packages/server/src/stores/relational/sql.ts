/** A statement that SQLite and PostgreSQL both understand. Each `?` in its text stands for the next value. The text contains no other `?`. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

/** A text may be any JavaScript string: each database converts it to a form that it can store. */
export type Value = string | number | null | Uint8Array | Json;

/** A document. It is stored as written, because JSON escapes the characters that a database can't store. */
export interface Json {
  readonly json: string;
}

export function json(document: unknown): Json {
  return { json: JSON.stringify(document) };
}

/** Builds a statement. An inserted statement becomes part of the text; anything else becomes a value. */
export function sql(texts: TemplateStringsArray, ...inserted: readonly (Value | Statement)[]): Statement {
  return joined(texts, inserted);
}

/** Joins statements or values with commas, or with another separator. */
export function list(items: readonly (Value | Statement)[], by = ', '): Statement {
  return joined(['', ...Array<string>(Math.max(0, items.length - 1)).fill(by), ''], items);
}

/** Joins `texts` with `inserted` between them. It must stay fast: statistics insert thousands of rows at once. */
function joined(texts: readonly string[], inserted: readonly (Value | Statement)[]): Statement {
  const values: Value[] = [];
  let text = texts[0] ?? '';
  for (const [i, item] of inserted.entries()) {
    if (typeof item === 'object' && item !== null && 'text' in item) {
      text += item.text;
      for (const value of item.values) values.push(value);
    } else {
      text += '?';
      values.push(item);
    }
    text += texts[i + 1] ?? '';
  }
  return { text, values };
}

/** Statements that insert rows. `insert` gets the rows as the operand of VALUES. */
export function inserting(
  rows: readonly (readonly (Value | Statement)[])[],
  insert: (values: Statement) => Statement,
): Statement[] {
  return piecesOf(rows).map((piece) => insert(list(piece.map(inParentheses))));
}

function inParentheses(row: readonly (Value | Statement)[]): Statement {
  const { text, values } = list(row);
  return { text: `(${text})`, values };
}

/** Splits items into pieces of at most 1,000. SQLite allows 32,766 values in a statement, and a row has about a dozen. */
export function piecesOf<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / PIECE) }, (_, i) => items.slice(i * PIECE, (i + 1) * PIECE));
}

const PIECE = 1_000;

/** Options of a batch of statements. */
export interface BatchOptions {
  /** After the commit, every process that watches this topic is notified. */
  readonly tells?: Topic;
  /** Tables whose deleted or replaced content must not stay readable in their files. */
  readonly erases?: readonly string[];
  /** The answer does not wait for a sync: a power loss may undo the last seconds. */
  readonly unsynced?: boolean;
}

export type Topic = 'settings' | 'regulations';

/**
 * A database of tables that are small beside the events. No transaction stays open: statements that belong together are one
 * batch, and a change that depends on a row has that as a condition of its statement.
 */
export interface Sql {
  readonly dialect: Dialect;
  read<Row extends object>(statement: Statement): Promise<Row[]>;
  /** Runs all statements or none, in order. Answers the rows of each. */
  write(statements: readonly Statement[], options?: BatchOptions): Promise<object[][]>;
  /**
   * Calls `changed` when any process changes a topic, and repeats the call while it rejects. The returned function ends it.
   * Absent for one process.
   */
  readonly watch?: ((topic: Topic, changed: () => Promise<void>) => () => void) | undefined;
}

/** Runs a statement that returns the rows it changed; answers whether there were any. */
export async function takesEffect(database: Sql, statement: Statement, options?: BatchOptions): Promise<boolean> {
  const [changed] = await database.write([statement], options);
  return isAny(changed);
}

/** Whether a statement of a batch returned rows. */
export function isAny(rows: readonly object[] | undefined): boolean {
  return rows !== undefined && rows.length > 0;
}

/** More buckets than any latency needs: the length of summed counts. */
export const BUCKETS = 256;

/** How the databases differ. */
export interface Dialect {
  /** Makes a comparison of long text use an index over hashes. The text itself must be compared too. */
  hashed(text: Statement): Statement;
  /** Converts text from outside to the form in which it is stored, and back. */
  toText(text: string): string;
  fromText(text: string): string;
  /** Counts by bucket in their stored form; an expression for the sum of such counts over some rows; and how to read that sum. */
  packed(counts: Uint32Array): Value;
  readonly sumOfCounts: Statement;
  unpacked(sum: unknown): Uint32Array;
  /** Selects the tallies (core/tally.ts) of some rows, each row's on a line of its own. */
  readonly allTallies: Statement;
}
