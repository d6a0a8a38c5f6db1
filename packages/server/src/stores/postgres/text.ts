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
export function columnsOf<Row>(rows: readonly Row[], ...fields: readonly (keyof Row)[]): unknown[][] {
  return fields.map((field) => rows.map((row) => row[field]));
}

export type Copied = string | number | boolean | null;

/** Rows in the format of COPY. */
export function copied(rows: readonly (readonly Copied[])[]): string {
  return rows.map((row) => `${row.map(field).join('\t')}\n`).join('');
}

function field(value: Copied): string {
  if (value === null) return '\\N';
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value === 'number') return String(value);
  return SPECIAL.test(value) ? value.replaceAll(SPECIAL_EACH, (char) => ESCAPES[char] ?? char) : value;
}

const SPECIAL = /[\\\t\n\r]/;
const SPECIAL_EACH = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

// biome-ignore lint/suspicious/noControlCharactersInRegex: U+0000 is what this is about.
const UNFIT = /[\\\u0000]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const WRITTEN = /\\([0-9a-f]{4})/g;
