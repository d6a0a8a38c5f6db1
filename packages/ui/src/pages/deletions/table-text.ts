/** One value of a text that is a table, or a list with one column. */
export interface Cell {
  readonly text: string;
  /** Was it written in quotes: then nothing is left out of it, and it is no heading. */
  readonly quoted: boolean;
}

export interface Row {
  /** The line that it begins on, from 1. */
  readonly line: number;
  readonly cells: readonly Cell[];
  /** What is wrong with its quotes; null when nothing is. */
  readonly flaw: string | null;
}

/**
 * Reads a text as rows (RFC 4180): a value in double quotes may hold anything, a quote is written twice. Of other values
 * the spaces at both ends are left out. Empty lines are passed over.
 *
 * @param delimiter between the values of a row; null where a row is one value.
 */
export function rowsOf(text: string, delimiter: string | null): Row[] {
  const rows: Row[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const began = line;
    const cells: Cell[] = [];
    let flaw: string | null = null;
    for (;;) {
      const cell = cellAt(text, at, delimiter);
      cells.push(cell);
      flaw ??= cell.flaw;
      line += text.slice(at, cell.end).split('\n').length - 1;
      at = cell.end;
      if (delimiter === null || text[at] !== delimiter) break;
      at += 1;
    }
    // The end of the line itself.
    at += 1;
    line += 1;
    const isEmpty = cells.every((cell) => cell.text === '' && !cell.quoted);
    if (!isEmpty) rows.push({ line: began, cells: cells.map(({ text, quoted }) => ({ text, quoted })), flaw });
  }
  return rows;
}

interface ReadCell extends Cell {
  /** The place after it. */
  readonly end: number;
  readonly flaw: string | null;
}

function cellAt(text: string, start: number, delimiter: string | null): ReadCell {
  let at = start;
  while (text[at] === ' ' || (text[at] === '\t' && delimiter !== '\t')) at += 1;
  if (text[at] !== '"') {
    const end = endOf(text, start, delimiter);
    return { text: text.slice(start, end).trim(), quoted: false, end, flaw: null };
  }
  const quoted = /"((?:[^"]|"")*)"/y;
  quoted.lastIndex = at;
  const match = quoted.exec(text);
  if (!match) {
    const end = endOf(text, start, delimiter);
    return { text: text.slice(at, end), quoted: true, end, flaw: 'The quote that begins here does not end' };
  }
  const end = endOf(text, quoted.lastIndex, delimiter);
  const flaw = text.slice(quoted.lastIndex, end).trim() === '' ? null : 'Something follows the closing quote';
  return { text: (match[1] ?? '').replaceAll('""', '"'), quoted: true, end, flaw };
}

/** The place of the delimiter or the end of the line, whichever comes first. */
function endOf(text: string, from: number, delimiter: string | null): number {
  const newline = text.indexOf('\n', from);
  const lineEnd = newline === -1 ? text.length : newline;
  if (delimiter === null) return lineEnd;
  const next = text.indexOf(delimiter, from);
  return next === -1 ? lineEnd : Math.min(next, lineEnd);
}
