import type { LogEntry } from '../core/event.ts';
import { shardOf } from '../core/position.ts';

/** How far a scan of the log has come: shard by shard, and in each by when its events were received. */
export class Scanned {
  readonly #shards: number;
  #shard = 0;
  /** Of the shard that is read; null before its first event. */
  #first: number | null = null;
  #last = 0;

  constructor(shards: number) {
    this.#shards = shards;
  }

  note(entries: readonly LogEntry[]): void {
    for (const { position, receivedAt } of entries) {
      const shard = shardOf(position);
      if (shard !== this.#shard || this.#first === null) [this.#shard, this.#first] = [shard, receivedAt];
      this.#last = receivedAt;
    }
  }

  /** Of 1. */
  share(now: number): number {
    if (this.#first === null) return 0;
    const ofShard = now <= this.#first ? 0 : (this.#last - this.#first) / (now - this.#first);
    return (this.#shard + Math.min(1, Math.max(0, ofShard))) / this.#shards;
  }
}
