import { type Attempt, numberOfState } from '../../core/delivery.ts';
import { keptAttempts } from '../../core/kept-attempts.ts';
import { type Statement, sql } from '../relational/sql.ts';

export const RETRYING: number = numberOfState('retrying');

/** The columns of a SummaryRow; `e` is the event. */
export const SUMMARY: Statement = sql`e.position, e.received_at, e.source, e.type, e.message_id, e.name, e.user_id`;

/** A round's attempts as lines of JSON. The lines of the next round are appended. */
export function linesOf(attempts: readonly Attempt[]): string {
  return attempts.map((attempt) => JSON.stringify(attempt)).join('\n');
}

/** The attempts that are kept. An earlier version kept all of them. */
export function attemptsIn(lines: string): readonly Attempt[] {
  return lines === '' ? [] : keptAttempts(lines.split('\n').map((line) => JSON.parse(line) as Attempt));
}
