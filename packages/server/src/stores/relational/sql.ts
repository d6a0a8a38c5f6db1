/**
 * One statement that SQLite and PostgreSQL both understand. In its text a `?` stands for each value in turn, and for nothing
 * else.
 */
export interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

/** Text may be any JavaScript string: each database takes it in the form that it can hold. */
export type Value = string | number | null | Uint8Array | Json;

/** A document. It is stored as it is written, because JSON escapes what a database can't hold. */
export interface Json {
  readonly json: string;
}

export function json(document: unknown): Json {
  return { json: JSON.stringify(document) };
}

/** Builds a statement: what is inserted becomes a value, or a part of the text where it is a statement itself. */
export function sql(texts: TemplateStringsArray, ...inserted: readonly (Value | Statement)[]): Statement {
  return joined(texts, inserted);
}

/** Statements or values with commas, or another word, between them. */
export function list(items: readonly (Value | Statement)[], by = ', '): Statement {
  return joined(['', ...Array<string>(Math.max(0, items.length - 1)).fill(by), ''], items);
}

/** `inserted` between `texts`. Statistics insert thousands of rows at once. */
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

/** Statements that insert rows, which `insert` is given as VALUES has them. */
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

/** As many as one statement takes: SQLite has no room for more than 32,766 values, and a row has a dozen. */
export function piecesOf<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / PIECE) }, (_, i) => items.slice(i * PIECE, (i + 1) * PIECE));
}

const PIECE = 1_000;

/** What a batch has beside its statements. */
export interface BatchOptions {
  /** Every process that watches this is told once the batch is committed. */
  readonly tells?: Topic;
  /** Tables that held something which must not stay readable in their files. */
  readonly erases?: readonly string[];
  /** The answer does not wait for the disk: the power may take the last seconds. */
  readonly unsynced?: boolean;
}

export type Topic = 'settings' | 'regulations';

/**
 * A database of tables that are small beside the events. There are no transactions that stay open: what must not fall apart is
 * one batch, and what depends on a row is a condition of the statement that changes it.
 */
export interface Sql {
  readonly dialect: Dialect;
  read<Row extends object>(statement: Statement): Promise<Row[]>;
  /** Runs all of them or none, in order; answers the rows of each. */
  write(statements: readonly Statement[], options?: BatchOptions): Promise<object[][]>;
  /** Calls `changed` when a process told of a topic, and again while that rejects; the answer ends it. Absent where there is one process. */
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

/** More buckets than any latency has: so long are counts that are summed. */
export const BUCKETS = 256;

/** What the databases do not have in common. */
export interface Dialect {
  /** Narrows a search in a column of long text to an index of its own; the text itself must be compared too. */
  hashed(text: Statement): Statement;
  /** Text from outside in the form that it is stored in, and as it was given. */
  toText(text: string): string;
  fromText(text: string): string;
  /** Counts by bucket as they are stored, what selects their sum over some rows, and that sum. */
  packed(counts: Uint32Array): Value;
  readonly sumOfCounts: Statement;
  unpacked(sum: unknown): Uint32Array;
  /** Selects the tallies (core/tally.ts) of some rows, each on a line of its own. */
  readonly allTallies: Statement;
}
