import type { LogEntry } from '../../core/event.ts';
import { weightOf } from '../../core/weight.ts';

/** Default bytes of the newest events in memory, so that a lane that keeps up never reads the disk. */
const TAIL_BYTES = 16 * 1024 * 1024;
/** The memory of an entry beyond its weight. */
const ENTRY_BYTES = 600;

interface SourceTail {
  /** Entries from `head` on, in order. */
  entries: LogEntry[];
  head: number;
  /** Every event of the source after this position is in memory. */
  after: number;
}

/** The newest events of the log in memory, by source. All sources share one limit of bytes. */
export class Tail {
  readonly #sources = new Map<string, SourceTail>();
  /** The source of each entry, in the order of the log: the oldest is evicted first. */
  #order: string[] = [];
  #evicted = 0;
  #bytes = 0;
  /** Events at or before this position were never in memory. */
  readonly #start: number;
  readonly #maxBytes: number;
  #end: number;

  constructor(start: number, maxBytes: number = TAIL_BYTES) {
    this.#start = start;
    this.#maxBytes = maxBytes;
    this.#end = start;
  }

  /** Position of the newest event. */
  get end(): number {
    return this.#end;
  }

  push(entry: LogEntry): void {
    const tail = this.#sources.get(entry.sourceId) ?? { entries: [], head: 0, after: this.#start };
    this.#sources.set(entry.sourceId, tail);
    tail.entries.push(entry);
    this.#end = entry.position;
    this.#order.push(entry.sourceId);
    this.#bytes += weightOf(entry) + ENTRY_BYTES;
    while (this.#bytes > this.#maxBytes) this.#evict();
  }

  /** Up to `max` events of the source after a position, in order; undefined if some of them have left memory. */
  read(sourceId: string, after: number, max: number): LogEntry[] | undefined {
    const tail = this.#sources.get(sourceId);
    if (!tail) return after >= this.#start ? [] : undefined;
    if (after < tail.after) return undefined;
    const entries: LogEntry[] = [];
    for (let i = firstAfter(tail, after); i < tail.entries.length && entries.length < max; i++) {
      const entry = tail.entries[i];
      if (entry && entry.body !== GONE) entries.push(entry);
    }
    return entries;
  }

  /** Removes an event's content from memory. Its place stays. */
  forget(sourceId: string, position: number): void {
    const tail = this.#sources.get(sourceId);
    const index = tail ? firstAfter(tail, position - 1) : 0;
    const entry = tail?.entries[index];
    if (!tail || entry?.position !== position) return;
    this.#bytes -= weightOf(entry);
    tail.entries[index] = { ...EVICTED, sourceId, position };
  }

  #evict(): void {
    const tail = this.#sources.get(this.#order[this.#evicted++] ?? '');
    const entry = tail?.entries[tail.head];
    if (!tail || !entry) return;
    tail.after = entry.position;
    tail.entries[tail.head++] = EVICTED;
    this.#bytes -= weightOf(entry) + ENTRY_BYTES;
    // Cutting an array copies it, so it is done rarely.
    if (tail.head > 1024 && tail.head * 4 > tail.entries.length) {
      tail.entries = tail.entries.slice(tail.head);
      tail.head = 0;
    }
    if (this.#evicted > 65_536 && this.#evicted * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#evicted);
      this.#evicted = 0;
    }
  }
}

/** The body of an entry that was evicted or removed. */
const GONE = new Uint8Array();

/** Replaces an evicted entry until the array is cut, so that its body is freed at once. */
const EVICTED: LogEntry = {
  position: 0,
  sourceId: '',
  messageId: '',
  type: 'track',
  name: null,
  userId: null,
  receivedAt: 0,
  timestamp: 0,
  integrations: null,
  unsent: null,
  body: GONE,
};

/** Index of the first entry after a position, by bisection. */
function firstAfter(tail: SourceTail, after: number): number {
  let low = tail.head;
  let high = tail.entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tail.entries[middle]?.position ?? 0) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
