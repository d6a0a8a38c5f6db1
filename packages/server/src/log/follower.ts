import { Bell } from '../core/bell.ts';
import type { LogEntry, Position } from '../core/event.ts';
import { weightOf } from '../core/weight.ts';
import type { FollowedPage } from './contract.ts';

/** Most entries that wait for a watcher; beyond that the oldest are dropped. */
const MOST_ENTRIES = 10_000;
const MOST_BYTES = 8 * 1024 * 1024;

/** Hands appended events to a watcher, and drops those that the watcher is too slow to take. */
export class Follower implements AsyncIterable<FollowedPage> {
  readonly #signal: AbortSignal;
  readonly #left: () => void;
  #entries: LogEntry[] = [];
  #bytes = 0;
  #lost = 0;
  readonly #news = new Bell();
  readonly #end = (): void => {
    this.#left();
    this.#news.ring();
  };

  /** `left` is called when the reader has stopped. */
  constructor(signal: AbortSignal, left: () => void) {
    this.#signal = signal;
    this.#left = left;
    signal.addEventListener('abort', this.#end, { once: true });
  }

  push(entries: readonly LogEntry[]): void {
    for (const entry of entries) this.#bytes += weightOf(entry);
    this.#entries = this.#entries.length === 0 ? [...entries] : this.#entries.concat(entries);
    if (this.#entries.length > MOST_ENTRIES || this.#bytes > MOST_BYTES) this.#drop();
    this.#news.ring();
  }

  /** Drops these entries where they still wait. */
  forget(positions: ReadonlySet<Position>): void {
    this.#entries = this.#entries.filter((entry) => {
      if (!positions.has(entry.position)) return true;
      this.#bytes -= weightOf(entry);
      return false;
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FollowedPage, void, void> {
    try {
      while (!this.#signal.aborted) {
        if (this.#entries.length === 0) {
          await this.#news.next;
          continue;
        }
        const page = { entries: this.#entries, lost: this.#lost };
        this.#entries = [];
        this.#bytes = 0;
        this.#lost = 0;
        yield page;
      }
    } finally {
      this.#signal.removeEventListener('abort', this.#end);
      this.#left();
    }
  }

  /** Drops half of the waiting entries, so that the next page does not have to drop again. */
  #drop(): void {
    let count = 0;
    while (
      count < this.#entries.length - 1 &&
      (this.#entries.length - count > MOST_ENTRIES / 2 || this.#bytes > MOST_BYTES / 2)
    ) {
      this.#bytes -= weightOf(this.#entries[count++]);
    }
    this.#entries = this.#entries.slice(count);
    this.#lost += count;
  }
}
