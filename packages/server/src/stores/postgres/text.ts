import type { Queries } from './database.ts';

/**
 * Converts text to a form that PostgreSQL can store. It accepts neither U+0000 nor half of a surrogate pair, and names can
 * contain both. These and the backslash are written as `\` and four hexadecimal digits. Equal texts stay equal, and a text that
 * begins another one still does.
 */
export function toText(text: string): string {
  if (!text.includes('\\') && !text.includes('\0') && text.isWellFormed()) return text;
  return text.replace(UNFIT, (unit) => `\\${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function toTextOrNull(text: string | null): string | null {
  return text === null ? null : toText(text);
}

export function fromText(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(WRITTEN, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

export function fromTextOrNull(text: string | null): string | null {
  return text === null ? null : fromText(text);
}

/** The fields of rows as columns, for `unnest`. */
export function columnsOf<T>(rows: readonly T[], ...fields: readonly (keyof T)[]): unknown[][] {
  return fields.map((field) => rows.map((row) => row[field]));
}

/** A row by its columns; its texts as `toText` answers them. */
export type Row = Readonly<Record<string, string | number | boolean | null | readonly number[]>>;

/**
 * Adds rows to a table `t`; they have the same columns. `conflict`: what is done with a row whose key is there, and what is
 * returned. They go in one message, so the server never waits for the rest of them: with `COPY`, a process that stands still in
 * the middle keeps its locks, and no timeout of the server ends that.
 */
export async function insertRows<Returned extends object>(
  queries: Queries,
  table: string,
  rows: readonly Row[],
  conflict = '',
): Promise<Returned[]> {
  const [first] = rows;
  if (!first) return [];
  const columns = Object.keys(first).join(', ');
  return queries.query<Returned>(
    `INSERT INTO ${table} AS t (${columns}) OVERRIDING SYSTEM VALUE
     SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1) ${conflict}`,
    [JSON.stringify(rows)],
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: U+0000 is what this is about.
const UNFIT = /[\\\u0000]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const WRITTEN = /\\([0-9a-f]{4})/g;
