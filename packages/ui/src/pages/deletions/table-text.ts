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
  const inside = `[^${delimiter ?? ''}\n]*`;
  const space = delimiter === '\t' ? '[ ]*' : '[ \t]*';
  // A whole quoted value and what follows it; a quote that does not end; any other value.
  const value = new RegExp(`${space}"((?:[^"]|"")*)"(${inside})|${space}("${inside})|${inside}`, 'y');
  const rows: Row[] = [];
  let line = 1;
  while (value.lastIndex < text.length) {
    const began = line;
    const cells: Cell[] = [];
    const flaws: string[] = [];
    do {
      const [whole = '', quoted, after = '', open] = value.exec(text) ?? [];
      if (quoted !== undefined) cells.push({ text: quoted.replaceAll('""', '"'), quoted: true });
      else cells.push({ text: open ?? whole.trim(), quoted: open !== undefined });
      if (after.trim() !== '') flaws.push('Something follows the closing quote');
      if (open !== undefined) flaws.push('The quote that begins here does not end');
      line += whole.split('\n').length - 1;
      // Behind the delimiter or the line break.
      value.lastIndex += 1;
    } while (delimiter !== null && text[value.lastIndex - 1] === delimiter);
    line += 1;
    const isEmpty = cells.every((cell) => cell.text === '' && !cell.quoted);
    if (!isEmpty) rows.push({ line: began, cells, flaw: flaws[0] ?? null });
  }
  return rows;
}
