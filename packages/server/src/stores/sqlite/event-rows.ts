import type { SQLOutputValue } from 'node:sqlite';
import { type CarriedIds, carriedIds } from '../../core/carried-ids.ts';
import { EVENT_TYPES, type EventType, type LogEntry } from '../../core/event.ts';
import { type Statement, sql } from '../relational/sql.ts';

/** A row of events as SQLite returns it. */
export type Row = Record<string, SQLOutputValue>;

/** The columns of a SummaryRow; `e` is the event. */
export const SUMMARY: Statement = sql`e.seq AS position, e.source, e.received_at, e.type, e.message_id, e.name, e.user_id`;

/** An event with its body. `row` has all columns of `events`. */
export function entryOf(row: Row, name: (number: number) => string): LogEntry {
  const receivedAt = Number(row['received_at']);
  return {
    position: Number(row['seq']),
    sourceId: name(Number(row['source'])),
    messageId: String(row['message_id']),
    type: typeOf(row),
    name: textOrNull(row['name']),
    userId: textOrNull(row['user_id']),
    receivedAt,
    timestamp: receivedAt - Number(row['age']),
    integrations: textOrNull(row['integrations']),
    unsent: textOrNull(row['unsent']),
    body: row['body'] as Uint8Array,
  };
}

/** Whether the ids of an event are only in its body: earlier versions wrote no columns for them. */
export const IN_BODY: string = `CASE WHEN type = ${EVENT_TYPES.indexOf('alias')} THEN previous_id IS NULL
  ELSE user_id IS NULL AND anonymous_id IS NULL END`;

/** The columns that `carriedIn` reads. */
export const CARRIED_COLUMNS: string = `type, user_id, anonymous_id, previous_id, CASE WHEN ${IN_BODY} THEN body END AS body`;

export function carriedIn(row: Row): CarriedIds {
  const { body, anonymous_id, previous_id } = row;
  if (body instanceof Uint8Array) return carriedIds({ type: typeOf(row), userId: textOrNull(row['user_id']), body });
  return { anonymousId: textOrNull(anonymous_id), previousId: textOrNull(previous_id) };
}

export function typeOf(row: Row): EventType {
  return EVENT_TYPES[Number(row['type'])] ?? 'track';
}

export function textOrNull(value: SQLOutputValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

export function numberOrNull(value: SQLOutputValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** A removed event has no body. */
export const KEPT: Statement = sql`length(body) > 0`;
