import { shardOf } from '../core/position.ts';
import type { EntryPage } from '../log/contract.ts';

/** How much of the log a rebuild has read, by the time its events were received. */
export class Scanned {
  #first = Number.POSITIVE_INFINITY;
  /** When the last event that was read was received, by shard. */
  readonly #last = new Map<number, number>();

  /** Notes a page of one shard. */
  note({ positions, receivedAt }: Pick<EntryPage, 'positions' | 'receivedAt'>): void {
    const [first, last] = [receivedAt[0], receivedAt.at(-1)];
    if (first === undefined || last === undefined) return;
    this.#first = Math.min(this.#first, first);
    this.#last.set(shardOf(positions[0] ?? 0), last);
  }

  /** A share, 0 to 1. */
  share(now: number): number {
    const last = Math.min(...this.#last.values());
    if (now <= this.#first || !Number.isFinite(last)) return 0;
    return Math.min(1, Math.max(0, (last - this.#first) / (now - this.#first)));
  }
}
