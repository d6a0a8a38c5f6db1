import type { LogEntry, Position } from '../../core/event.ts';
import { unlessAborted } from '../../core/pause.ts';
import type { LaneReader } from '../../log/contract.ts';
import type { Thread } from '../../threads/thread.ts';
import type { Reader } from './reader.ts';
import type { Tail } from './tail.ts';
import type { LaneState } from './writer.ts';

/** What a lane's reader needs of the log it reads. */
export interface LaneSource {
  readonly tail: Tail;
  readonly reader: Thread<Reader>;
  /** Resolves when the source has a new event, or the lane has ended. */
  changed(sourceId: string): Promise<void>;
}

/**
 * Reads one lane: from memory where it keeps up, from the disk where it lags. What it may give again after a restart is
 * known from the partitions themselves: what has a delivery has left the lane.
 */
export class SqliteLaneReader implements LaneReader {
  readonly #source: LaneSource;
  readonly #lane: LaneState;
  /** Events up to here are read from the disk, which knows those that have left the lane before this reader began. */
  readonly #begun: number;
  #endSeq: number | null;
  /** The last position that was handed out, or passed because nothing up to there is still in the lane. */
  #cursor: number;
  /** Handed out and not acknowledged, in order. */
  readonly #pending = new Set<number>();
  #saved: number;

  constructor(lane: LaneState, source: LaneSource) {
    this.#source = source;
    this.#lane = lane;
    this.#begun = source.tail.end;
    this.#endSeq = lane.until;
    this.#cursor = lane.position;
    this.#saved = lane.position;
  }

  async pull(max: number, signal: AbortSignal): Promise<readonly LogEntry[]> {
    for (;;) {
      signal.throwIfAborted();
      const changed = this.#source.changed(this.#lane.sourceId);
      const entries = await this.#next(max);
      const last = entries.at(-1);
      if (last) {
        this.#cursor = last.position;
        for (const { position } of entries) this.#pending.add(position);
        return entries;
      }
      if (this.#endSeq !== null) return [];
      await unlessAborted(signal, changed);
    }
  }

  ack(positions: readonly Position[]): void {
    for (const position of positions) this.#pending.delete(position);
  }

  /** No event after this one is the lane's. */
  end(endSeq: number): void {
    this.#endSeq = endSeq;
  }

  /** Everything up to here has left the lane; null when that was said before. */
  takePosition(): number | null {
    const [oldest] = this.#pending;
    const position = oldest === undefined ? this.#cursor : oldest - 1;
    if (position <= this.#saved) return null;
    this.#saved = position;
    return position;
  }

  async #next(max: number): Promise<readonly LogEntry[]> {
    if (this.#cursor < this.#begun) {
      const old = await this.#read(Math.min(this.#begun, this.#through), max);
      if (old.length > 0) return old;
      this.#cursor = this.#begun;
    }
    const recent = this.#source.tail.read(this.#lane.sourceId, this.#cursor, max);
    if (!recent) return this.#read(this.#through, max);
    return this.#endSeq === null ? recent : recent.filter(({ position }) => position <= this.#through);
  }

  #read(through: number, max: number): Promise<readonly LogEntry[]> {
    return this.#source.reader.remote.readLane(this.#lane, this.#cursor, through, max);
  }

  get #through(): number {
    return this.#endSeq ?? Number.MAX_SAFE_INTEGER;
  }
}
