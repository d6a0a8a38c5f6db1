import type { EventType, LogEntry } from '../core/event.ts';
import type { Rejection } from '../observe/rejections.ts';

/** What a viewer of the live stream wants to see; what is absent is not asked for. */
export interface LiveFilter {
  readonly sourceId?: string;
  readonly type?: EventType;
  /** Exact name of a track call's event. */
  readonly event?: string;
  readonly userId?: string;
  /** Part of the delivered body, in upper or lower case. */
  readonly text?: string;
}

/** Decodes bodies, in lower case: each once for all who search in the same entry one after the other. */
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

/** Tells of each entry whether it passes. */
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

/** Of a refused call no more is known than its source and its text. */
export function passesRejected(filter: LiveFilter, { sourceId, code, message, part }: Rejection): boolean {
  if (filter.type !== undefined || filter.event !== undefined || filter.userId !== undefined) return false;
  if (filter.sourceId !== undefined && filter.sourceId !== sourceId) return false;
  const wanted = filter.text?.toLowerCase() ?? '';
  return [code, message, part].some((text) => text.toLowerCase().includes(wanted));
}
