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

/** Builds a statement: what is interpolated becomes a value, or is inserted where it is a statement itself. */
export function sql(texts: TemplateStringsArray, ...inserted: readonly (Value | Statement)[]): Statement {
  const values: Value[] = [];
  const pieces = texts.map((text, i) => {
    const value = inserted[i];
    if (value === undefined) return text;
    if (value === null || typeof value !== 'object' || !('text' in value)) {
      values.push(value);
      return `${text}?`;
    }
    values.push(...value.values);
    return text + value.text;
  });
  return { text: pieces.join(''), values };
}

/** Statements or values with commas between them. */
export function list(items: readonly (Value | Statement)[]): Statement {
  const statements = items.map((item) => sql`${item}`);
  return { text: statements.map(({ text }) => text).join(', '), values: statements.flatMap(({ values }) => values) };
}

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

/** What the databases do not have in common. */
export interface Dialect {
  /** The larger and the smaller of two numbers. */
  readonly greatest: Statement;
  readonly least: Statement;
  /** Narrows a search in a column of long text to an index of its own; the text itself must be compared too. */
  hashed(text: Statement): Statement;
  /** Text from outside, as it was given. */
  fromText(text: string): string;
}
