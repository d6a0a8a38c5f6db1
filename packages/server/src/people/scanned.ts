import type { LogEntry } from '../core/event.ts';
import { shardOf } from '../core/position.ts';

/** How far a rebuild has read the log, by when events were received. */
export class Scanned {
  #first = Number.POSITIVE_INFINITY;
  /** By shard, the last that was read. */
  readonly #last = new Map<number, number>();

  /** A page of one shard. */
  note(entries: readonly LogEntry[]): void {
    const [first, last] = [entries[0], entries.at(-1)];
    if (!first || !last) return;
    this.#first = Math.min(this.#first, first.receivedAt);
    this.#last.set(shardOf(last.position), last.receivedAt);
  }

  /** Of 1. */
  share(now: number): number {
    const last = Math.min(...this.#last.values());
    if (now <= this.#first || !Number.isFinite(last)) return 0;
    return Math.min(1, Math.max(0, (last - this.#first) / (now - this.#first)));
  }
}
