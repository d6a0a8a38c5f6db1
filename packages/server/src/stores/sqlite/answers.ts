import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Attempt, withoutAnswer } from '../../core/delivery.ts';

/**
 * The answers of endpoints, stored apart from the deliveries: an answer may repeat what the endpoint was sent, so it must be
 * removable. This table only grows at its end, so no copies stay behind. A table that grows in its middle moves its rows, and
 * SQLite does not overwrite what a moved row leaves.
 *
 * The `attempts` of a delivery are lines. A line is an attempt as JSON, without its answer. Or it is `#` and the id of a row
 * with the answers of the attempts that follow: a JSON array of texts, or of `{answer, headers}` if headers are kept too. A
 * round without answers has no `#` line. In partitions of early versions the attempts contain their answers.
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

/** The attempts with their answers. `select` finds the row of answers by id. */
export function readAttempts(text: string, select: StatementSync): Attempt[] {
  const attempts: Attempt[] = [];
  let answers: Said[] = [];
  for (const line of linesIn(text)) {
    if (line.startsWith('#'))
      answers = JSON.parse(String(select.get(Number(line.slice(1)))?.['json'])) as typeof answers;
    else {
      const attempt = JSON.parse(line) as Attempt;
      const said = answers.shift() ?? attempt.answer;
      attempts.push({ ...attempt, ...(typeof said === 'object' && said !== null ? said : { answer: said }) });
    }
  }
  return attempts;
}

export const SELECT_ANSWERS = 'SELECT json FROM answers WHERE id = ?';

/** Removes the answers that these lines refer to, inside the caller's transaction. Answers the lines without the references. */
export function eraseAnswers(db: DatabaseSync, text: string): string {
  const lines: string[] = [];
  const empty = db.prepare("UPDATE answers SET json = '[]' WHERE id = ?");
  for (const line of linesIn(text)) {
    if (line.startsWith('#')) empty.run(Number(line.slice(1)));
    else lines.push(linesOf([JSON.parse(line) as Attempt]));
  }
  return lines.join('\n');
}

function linesIn(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
