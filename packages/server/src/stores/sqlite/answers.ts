import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Attempt, withoutAnswer } from '../../core/delivery.ts';
import { keptAttempts, NEARLY_MOST, SHORTEST_LONG } from '../../core/kept-attempts.ts';

/**
 * The answers of endpoints, stored apart from the deliveries: an answer may repeat what the endpoint was sent, so it must be
 * removable. This table only grows at its end, so no copies stay behind. A table that grows in its middle moves its rows, and
 * SQLite does not overwrite what a moved row leaves.
 *
 * The `attempts` of a delivery are lines. A line is an attempt as JSON, without its answer. Or it is `#` and the id of a row
 * with the answers of the attempts that follow: a JSON array of texts, or of `{answer, headers}` if headers are kept too. A
 * round without answers has no `#` line. In partitions of early versions the attempts contain their answers. Where attempts of a
 * round are no longer kept, those after them say their place in the array.
 */
export const ANSWERS_SCHEMA = 'CREATE TABLE IF NOT EXISTS answers (id INTEGER PRIMARY KEY, json TEXT NOT NULL);';

/** The answers of a round's attempts as a JSON array; empty when there is none. */
export function answersOf(attempts: readonly Attempt[]): string {
  if (attempts.every(({ answer, headers }) => answer === null && headers === undefined)) return '';
  return JSON.stringify(attempts.map(({ answer, headers }): Said => (headers ? { answer, headers } : answer)));
}

type Said = string | null | Pick<Attempt, 'answer' | 'headers'>;

/** A round's attempts as lines. */
export function linesOf(attempts: readonly Attempt[]): string {
  return attempts.map((attempt) => JSON.stringify(withoutAnswer(attempt))).join('\n');
}

/** The lines, preceded by a reference to the answers with this id. */
export function withAnswers(id: number, lines: string): string {
  return `#${id}\n${lines}`;
}

/** The kept attempts with their answers. `select` finds the row of answers by id. */
export function readAttempts(text: string, select: StatementSync): Attempt[] {
  const rows = new Map<number, Said[]>();
  return keptAttempts(placedIn(text)).map(({ row, place, ...attempt }) => {
    if (row === null) return attempt;
    const answers = rows.get(row) ?? answersIn(row, select);
    rows.set(row, answers);
    const said = answers[place] ?? attempt.answer;
    return { ...attempt, ...(typeof said === 'object' && said !== null ? said : { answer: said }) };
  });
}

/** An attempt as its line has it, with the row that may have its answer, and the place in that row's array. */
interface Placed extends Attempt {
  readonly row: number | null;
  readonly place: number;
}

function placedIn(text: string): Placed[] {
  const placed: Placed[] = [];
  let row: number | null = null;
  let place = 0;
  for (const line of linesIn(text)) {
    if (line.startsWith('#')) {
      row = Number(line.slice(1));
      place = 0;
    } else {
      const attempt = { row, place, ...(JSON.parse(line) as Attempt) };
      placed.push(attempt);
      place = attempt.place + 1;
    }
  }
  return placed;
}

function answersIn(row: number, select: StatementSync): Said[] {
  return JSON.parse(String(select.get(row)?.['json'])) as Said[];
}

/** Whether lines have so many attempts that they must be shortened. */
function isLong(text: string): boolean {
  if (text.length <= SHORTEST_LONG) return false;
  let attempts = 1;
  for (let at = text.indexOf('\n{'); at >= 0; at = text.indexOf('\n{', at + 1)) attempts++;
  return attempts > NEARLY_MOST;
}

/**
 * The lines of earlier rounds without the attempts that are no longer kept beside those of a new round. To the rows of answers
 * in `free` no line refers any more.
 */
export function shortened(text: string, round: string): { readonly text: string; readonly free: readonly number[] } {
  if (!isLong(text)) return { text, free: [] };
  const before = placedIn(text);
  const added = placedIn(round);
  const all = [...before, ...added];
  const kept = keptAttempts(all);
  if (kept === all) return { text, free: [] };
  const lines: string[] = [];
  const rows = new Set<number>();
  let next = 0;
  for (const { row, place, ...attempt } of kept.slice(0, kept.length - added.length)) {
    if (row !== null && !rows.has(row)) {
      lines.push(`#${row}`);
      rows.add(row);
      next = 0;
    }
    lines.push(JSON.stringify(row === null || place === next ? attempt : { place, ...attempt }));
    next = place + 1;
  }
  const known = new Set(before.flatMap(({ row }) => row ?? []));
  return { text: lines.join('\n'), free: [...known.difference(rows)] };
}

export const EMPTY_ANSWERS = "UPDATE answers SET json = '[]' WHERE id = ?";

export const SELECT_ANSWERS = 'SELECT json FROM answers WHERE id = ?';

/** Removes the answers that these lines refer to, inside the caller's transaction. Answers the lines without the references. */
export function eraseAnswers(db: DatabaseSync, text: string): string {
  const lines: string[] = [];
  const empty = db.prepare(EMPTY_ANSWERS);
  for (const line of linesIn(text)) {
    if (line.startsWith('#')) empty.run(Number(line.slice(1)));
    else lines.push(linesOf([JSON.parse(line) as Attempt]));
  }
  return lines.join('\n');
}

function linesIn(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
