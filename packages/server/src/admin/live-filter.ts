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

/** A body in lower case, made once for all who search in the same entry. */
export class LowerCase {
  #entry: LogEntry | null = null;
  #bytes = Buffer.alloc(0);
  #length = 0;
  #text: string | null = null;

  /** Its bytes with the letters A to Z in lower case; valid until the next entry. */
  bytes(entry: LogEntry): Buffer {
    this.#turnTo(entry);
    if (this.#length === 0) this.#fold(entry.body);
    return this.#bytes.subarray(0, this.#length);
  }

  /** The whole of it, decoded. */
  text(entry: LogEntry): string {
    this.#turnTo(entry);
    this.#text ??= new TextDecoder().decode(entry.body).toLowerCase();
    return this.#text;
  }

  #turnTo(entry: LogEntry): void {
    if (this.#entry === entry) return;
    this.#entry = entry;
    this.#length = 0;
    this.#text = null;
  }

  #fold(body: Uint8Array): void {
    if (this.#bytes.length < body.length) this.#bytes = Buffer.alloc(body.length * 2);
    const bytes = this.#bytes;
    for (let i = 0; i < body.length; i++) {
      const byte = body[i] ?? 0;
      bytes[i] = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
    }
    this.#length = body.length;
  }
}

/** Tells of each entry whether it passes. */
export function liveFilter(filter: LiveFilter, lowerCase: LowerCase): (entry: LogEntry) => boolean {
  const { sourceId, type, event, userId, text } = filter;
  const holds = text === undefined ? null : textSearch(text, lowerCase);
  return (entry) =>
    (sourceId === undefined || entry.sourceId === sourceId) &&
    (type === undefined || entry.type === type) &&
    (event === undefined || entry.name === event) &&
    (userId === undefined || entry.userId === userId) &&
    (holds === null || holds(entry));
}

/** Of a refused call no more is known than its source and its text. */
export function passesRejected(filter: LiveFilter, { sourceId, code, message, part }: Rejection): boolean {
  if (filter.type !== undefined || filter.event !== undefined || filter.userId !== undefined) return false;
  if (filter.sourceId !== undefined && filter.sourceId !== sourceId) return false;
  const wanted = filter.text?.toLowerCase() ?? '';
  return [code, message, part].some((text) => text.toLowerCase().includes(wanted));
}

/** Bytes are searched for what is plain ASCII in the text; only where that is found, and the text has more, one is decoded. */
function textSearch(text: string, lowerCase: LowerCase): (entry: LogEntry) => boolean {
  const wanted = text.toLowerCase();
  const longest = wanted.split(/[^\0-\x7f]+/).reduce((a, b) => (b.length > a.length ? b : a));
  const bytes = Buffer.from(longest);
  const isPlain = longest === wanted;
  return (entry) => lowerCase.bytes(entry).includes(bytes) && (isPlain || lowerCase.text(entry).includes(wanted));
}
