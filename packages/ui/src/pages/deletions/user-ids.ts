import { type Row, rowsOf } from './table-text.ts';

/** The API's limit (docs/http-api.md, "Regulations"). */
export const MAX_USERS = 5_000;

export interface UserIds {
  /** Without repetitions, in order. */
  readonly ids: readonly string[];
  /** The line of each id. */
  readonly lines: readonly number[];
  readonly duplicates: number;
  readonly flaws: readonly LineFlaw[];
  /** The first line, if it was read as the name of the column; else null. */
  readonly heading: string | null;
}

export interface LineFlaw {
  readonly line: number;
  readonly message: string;
}

/** A text with more than one column. */
export interface Table {
  readonly delimiter: string;
  /** Column names: the values of the first line if one of them is a name for user ids; else their number and first value. */
  readonly columns: readonly string[];
  readonly hasHeading: boolean;
  /** Index of the column whose name means user ids; null if there is none. */
  readonly likely: number | null;
}

const DELIMITERS = [',', ';', '\t'];

/** Reads the text as a table. Null (a list) unless every row has as many values as the first, and more than one. */
export function tableIn(text: string): Table | null {
  for (const delimiter of DELIMITERS) {
    if (!text.includes(delimiter)) continue;
    const rows = rowsOf(text, delimiter);
    const [first] = rows;
    if (!first || first.cells.length < 2 || rows.some(({ cells }) => cells.length !== first.cells.length)) continue;
    const likely = first.cells.findIndex(({ text: name }) => isHeading(name));
    const hasHeading = likely !== -1;
    const columns = first.cells.map(({ text: value }, i) => (hasHeading ? value : `Column ${i + 1}: ${value}`));
    return { delimiter, columns, hasHeading, likely: hasHeading ? likely : null };
  }
  return null;
}

/** The ids of a list with one id on each line, or of a table's column, with the errors. */
export function userIdsOf(text: string, from: { readonly table: Table; readonly column: number } | null): UserIds {
  const rows = rowsOf(text, from?.table.delimiter ?? null);
  const heading = from ? (from.table.hasHeading ? (from.table.columns[from.column] ?? '') : null) : headingOf(rows[0]);
  const first = new Map<string, number>();
  const flaws: LineFlaw[] = [];
  let duplicates = 0;
  for (const { line, cells, flaw } of heading === null ? rows : rows.slice(1)) {
    const text = cells[from?.column ?? 0]?.text ?? '';
    const id = from?.table.columns.includes(OF_EXPORTS) ? withoutGuard(text) : text;
    const wrong = flaw ?? (id === '' ? 'There is no user id' : null);
    if (wrong !== null) flaws.push({ line, message: wrong });
    else if (first.has(id)) duplicates += 1;
    else first.set(id, line);
  }
  return { ids: [...first.keys()], lines: [...first.values()], duplicates, flaws, heading };
}

/** A column that only exports of members have. */
const OF_EXPORTS = 'joinedAt';

/** Removes the quote that an export puts before a value that a spreadsheet would take for a formula. */
function withoutGuard(text: string): string {
  return text.replace(/^'(?='*[=+\-@\t\r\n])/, '');
}

/** Writes ids as a list that is read back unchanged. */
export function listOf(ids: readonly string[]): string {
  return ids.map(lineOf).join('\n');
}

function lineOf(id: string): string {
  const isPlain = id.trim() === id && !/[",;\t\r\n]/.test(id) && !isHeading(id);
  return isPlain ? id : `"${id.replaceAll('"', '""')}"`;
}

function headingOf(row: Row | undefined): string | null {
  const [cell] = row?.cells ?? [];
  return cell && !cell.quoted && isHeading(cell.text) ? cell.text : null;
}

function isHeading(text: string): boolean {
  return /^(user[ _-]?id|id)s?$/i.test(text);
}
