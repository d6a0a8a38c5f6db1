import { type Attempt, stateOf } from '../../core/delivery.ts';
import { EVENT_TYPES } from '../../core/event.ts';
import type { Delivery, EventSummary } from '../../record/contract.ts';

/** A row of an event, without its body. Sources and destinations are numbers. */
export interface SummaryRow {
  readonly position: number;
  readonly received_at: number;
  readonly source: number;
  readonly type: number;
  readonly message_id: string;
  readonly name: string | null;
  readonly user_id: string | null;
}

/** A row of a delivery and its event. */
export interface DeliveryRow extends SummaryRow {
  readonly destination: number;
  readonly state: number;
  readonly reason: string | null;
  readonly rounds: number;
  readonly due_at: number | null;
  readonly urls_left: string | null;
  readonly at: number;
}

/** How a database's rows are read. */
export interface RowReading {
  /** Converts text from its stored form to the original. */
  fromText(text: string): string;
  /** Converts a number to the id of a source or destination. */
  idOf(number: number): string;
}

export function summaryOf(row: SummaryRow, { fromText, idOf }: RowReading): EventSummary {
  return {
    position: row.position,
    messageId: fromText(row.message_id),
    sourceId: idOf(row.source),
    type: EVENT_TYPES[row.type] ?? 'track',
    event: row.name === null ? null : fromText(row.name),
    userId: row.user_id === null ? null : fromText(row.user_id),
    receivedAt: row.received_at,
  };
}

export function deliveryOf(row: DeliveryRow, attempts: readonly Attempt[], reading: RowReading): Delivery {
  return {
    ...summaryOf(row, reading),
    destinationId: reading.idOf(row.destination),
    state: stateOf(row.state),
    reason: row.reason === null ? null : reading.fromText(row.reason),
    attempts,
    rounds: row.rounds,
    dueAt: row.due_at,
    urlsLeft: urlsIn(row.urls_left),
    at: row.at,
  };
}

/** The URLs left of a message in the retry queue. */
export function urlsIn(column: string | null): string[] | null {
  return column === null ? null : (JSON.parse(column) as string[]);
}
