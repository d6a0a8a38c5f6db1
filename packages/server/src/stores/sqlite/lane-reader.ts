import type { LogEntry, Position } from '../../core/event.ts';
import { unlessAborted } from '../../core/pause.ts';
import type { LaneReader } from '../../log/contract.ts';
import type { Thread } from '../../threads/thread.ts';
import type { Reader } from './reader.ts';
import type { Tail } from './tail.ts';
import type { LaneState } from './writer.ts';

/** What a lane's reader uses of the log. */
export interface LaneSource {
  readonly tail: Tail;
  readonly reader: Thread<Reader>;
  /** Resolves when the source has a new event, or the lane has ended. */
  changed(sourceId: string): Promise<void>;
}

/**
 * Reads one lane: from memory if the lane keeps up, from the disk if it lags. After a restart, the partitions tell which events
 * have left the lane: those that have a delivery.
 */
export class SqliteLaneReader implements LaneReader {
  readonly #source: LaneSource;
  readonly #lane: LaneState;
  /** Up to here, events are read from the disk: only it knows which of them left the lane before this reader began. */
  readonly #begun: number;
  #endSeq: number | null;
  /** The last position that was returned, or skipped because no event up to there is in the lane. */
  #cursor: number;
  /** Positions that were returned and are not acknowledged, in order. */
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

  /** Sets the lane's last event. */
  end(endSeq: number): void {
    this.#endSeq = endSeq;
  }

  /** The position up to which everything has left the lane; null if it has not changed since the last call. */
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
