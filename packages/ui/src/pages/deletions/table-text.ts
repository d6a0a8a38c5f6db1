/** A value of a table in text form. A list is a table with one column. */
export interface Cell {
  readonly text: string;
  /** Whether the value was quoted. A quoted value keeps its spaces, and is not a heading. */
  readonly quoted: boolean;
}

export interface Row {
  /** The number of the line on which it begins, from 1. */
  readonly line: number;
  readonly cells: readonly Cell[];
  /** The error in its quotes; null if there is none. */
  readonly flaw: string | null;
}

/**
 * Reads a text as rows (RFC 4180). A value in double quotes may contain anything; a quote inside is doubled. Other values
 * lose the spaces at both ends. Empty lines are skipped.
 *
 * @param delimiter between the values of a row; null if a row is one value.
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
    // Skips the line break.
    at += 1;
    line += 1;
    const isEmpty = cells.every((cell) => cell.text === '' && !cell.quoted);
    if (!isEmpty) rows.push({ line: began, cells: cells.map(({ text, quoted }) => ({ text, quoted })), flaw });
  }
  return rows;
}

interface ReadCell extends Cell {
  /** The index after the value. */
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

/** The index of the next delimiter or line end. */
function endOf(text: string, from: number, delimiter: string | null): number {
  const newline = text.indexOf('\n', from);
  const lineEnd = newline === -1 ? text.length : newline;
  if (delimiter === null) return lineEnd;
  const next = text.indexOf(delimiter, from);
  return next === -1 ? lineEnd : Math.min(next, lineEnd);
}
