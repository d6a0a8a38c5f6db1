import { type Attempt, numberOfState, stateOf } from '../../core/delivery.ts';
import { EVENT_TYPES } from '../../core/event.ts';
import { keptAttempts } from '../../core/kept-attempts.ts';
import type { Delivery, EventSummary } from '../../record/contract.ts';
import { fromText, fromTextOrNull } from './text.ts';

export const RETRYING: number = numberOfState('retrying');

/** The columns of an event that `summaryOf` reads; `e` is the event. */
export const SUMMARY = 'e.position, e.received_at, e.source, e.type, e.message_id, e.name, e.user_id';

/** The columns that `deliveryOf` reads in addition; `d` is the delivery. */
export const DELIVERY = 'd.destination, d.state, d.reason, d.attempts, d.rounds, d.due_at, d.urls_left, d.at';

export interface SummaryRow {
  readonly position: number;
  readonly received_at: number;
  readonly source: number;
  readonly type: number;
  readonly message_id: string;
  readonly name: string | null;
  readonly user_id: string | null;
}

export interface DeliveryRow extends SummaryRow {
  readonly destination: number;
  readonly state: number;
  readonly reason: string | null;
  readonly attempts: string;
  readonly rounds: number;
  readonly due_at: number | null;
  readonly urls_left: string | null;
  readonly at: number;
}

/** `idOf` converts a number to the id of a source or destination. */
export function summaryOf(row: SummaryRow, idOf: (number: number) => string): EventSummary {
  return {
    position: row.position,
    messageId: fromText(row.message_id),
    sourceId: idOf(row.source),
    type: EVENT_TYPES[row.type] ?? 'track',
    event: fromTextOrNull(row.name),
    userId: fromTextOrNull(row.user_id),
    receivedAt: row.received_at,
  };
}

export function deliveryOf(row: DeliveryRow, idOf: (number: number) => string): Delivery {
  return {
    ...summaryOf(row, idOf),
    destinationId: idOf(row.destination),
    state: stateOf(row.state),
    reason: fromTextOrNull(row.reason),
    attempts: attemptsIn(row.attempts),
    rounds: row.rounds,
    dueAt: row.due_at,
    urlsLeft: row.urls_left === null ? null : (JSON.parse(row.urls_left) as string[]),
    at: row.at,
  };
}

/** A round's attempts as lines of JSON. The lines of the next round are appended. */
export function linesOf(attempts: readonly Attempt[]): string {
  return attempts.map((attempt) => JSON.stringify(attempt)).join('\n');
}

/** The attempts that are kept. An earlier version kept all of them. */
export function attemptsIn(lines: string): readonly Attempt[] {
  return lines === '' ? [] : keptAttempts(lines.split('\n').map((line) => JSON.parse(line) as Attempt));
}
