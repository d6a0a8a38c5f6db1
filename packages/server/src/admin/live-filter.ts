import type { EventType, LogEntry } from '../core/event.ts';
import type { Rejection } from '../observe/rejections.ts';

/** The filter of a live stream. Absent fields do not filter. */
export interface LiveFilter {
  readonly sourceId?: string;
  readonly type?: EventType;
  /** Exact event name of a track call. */
  readonly event?: string;
  readonly userId?: string;
  /** Text in the delivered body; case is ignored. */
  readonly text?: string;
}

/** Decodes bodies to lower case. Viewers who search the same entry one after the other share one decoding. */
export function lowerCaseBodies(): (entry: LogEntry) => string {
  const decoder = new TextDecoder();
  let last: LogEntry | null = null;
  let text = '';
  return (entry) => {
    if (entry !== last) {
      last = entry;
      text = decoder.decode(entry.body).toLowerCase();
    }
    return text;
  };
}

/** Makes a function that tells whether an entry passes the filter. */
export function liveFilter(filter: LiveFilter, bodyOf: (entry: LogEntry) => string): (entry: LogEntry) => boolean {
  const { sourceId, type, event, userId } = filter;
  const text = filter.text?.toLowerCase();
  return (entry) =>
    (sourceId === undefined || entry.sourceId === sourceId) &&
    (type === undefined || entry.type === type) &&
    (event === undefined || entry.name === event) &&
    (userId === undefined || entry.userId === userId) &&
    (text === undefined || bodyOf(entry).includes(text));
}

/** Of a refused call only the source and the text are known. */
export function passesRejected(filter: LiveFilter, { sourceId, code, message, part }: Rejection): boolean {
  if (filter.type !== undefined || filter.event !== undefined || filter.userId !== undefined) return false;
  if (filter.sourceId !== undefined && filter.sourceId !== sourceId) return false;
  const wanted = filter.text?.toLowerCase() ?? '';
  return [code, message, part].some((text) => text.toLowerCase().includes(wanted));
}
