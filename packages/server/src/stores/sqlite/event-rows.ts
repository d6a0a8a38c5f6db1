import type { SQLOutputValue } from 'node:sqlite';
import { type CarriedIds, carriedIds } from '../../core/carried-ids.ts';
import { EVENT_TYPES, type EventType, type LogEntry } from '../../core/event.ts';
import { foldCase } from '../../core/fold-case.ts';
import type { EventQuery, EventSummary } from '../../record/contract.ts';

/** A row of events as SQLite returns it. */
export type Row = Record<string, SQLOutputValue>;

/** Neighbours in the log can be out of order by this time, milliseconds: requests wait for their commit side by side. */
export const DISORDER = 60_000;

/** How many rows one query searches. Then it answers with what it has found and where it stopped. */
export const ROWS_PER_PAGE = 20_000;

/** The columns of an event that `summaryOf` reads. */
export const SUMMARY_COLUMNS = 'e.seq, e.source, e.received_at, e.type, e.message_id, e.name, e.user_id';

/** An event without its body. `name` converts a number to the id that it stands for. */
export function summaryOf(row: Row, name: (number: number) => string): EventSummary {
  return {
    position: Number(row['seq']),
    messageId: String(row['message_id']),
    sourceId: name(Number(row['source'])),
    type: typeOf(row),
    event: textOrNull(row['name']),
    userId: textOrNull(row['user_id']),
    receivedAt: Number(row['received_at']),
  };
}

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

export function matchesNames(row: Row, query: { event: string | null; userId: string | null }): boolean {
  if (query.event !== null && row['name'] !== query.event) return false;
  return query.userId === null || row['user_id'] === query.userId;
}

/** Whether a row matches the words of a query. A query for an exact messageId has looked that up before. */
export function matchesWords(row: Row, { match, messageId, event, userId }: EventQuery): boolean {
  if (match !== 'prefix') return matchesNames(row, { event, userId });
  return (
    beginsWith(row['message_id'], messageId) && beginsWith(row['name'], event) && beginsWith(row['user_id'], userId)
  );
}

function beginsWith(value: SQLOutputValue | undefined, prefix: string | null): boolean {
  return prefix === null || (typeof value === 'string' && foldCase(value.slice(0, prefix.length)) === foldCase(prefix));
}

/** from ≤ received_at < to */
export function isWithin(row: Row, { from, to }: { from: number | null; to: number | null }): boolean {
  const receivedAt = Number(row['received_at']);
  return (from === null || receivedAt >= from) && (to === null || receivedAt < to);
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
export const KEPT = 'length(body) > 0';
