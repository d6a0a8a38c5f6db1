import type { LogEntry, Position } from '../../core/event.ts';
import type { LaneReader } from '../../log/contract.ts';
import type { Reader } from './reader.ts';
import type { Tail } from './tail.ts';
import type { Thread } from './thread.ts';
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
 * known from the partitions themselves: whatever has a delivery has left the lane.
 */
export class SqliteLaneReader implements LaneReader {
  readonly #source: LaneSource;
  readonly #sourceId: string;
  readonly #sourceNumber: number;
  readonly #destinationNumber: number;
  #endSeq: number | null;
  /** The last position handed out. */
  #cursor: number;
  /** Handed out and not acknowledged, in order. */
  readonly #pending = new Set<number>();
  /** Settled before this reader began; asked for at the first pull. */
  #settled: Set<number> | null = null;
  #saved: number;

  constructor(lane: LaneState, source: LaneSource) {
    this.#source = source;
    this.#sourceId = lane.sourceId;
    this.#sourceNumber = lane.source;
    this.#destinationNumber = lane.destination;
    this.#endSeq = lane.until;
    this.#cursor = lane.position;
    this.#saved = lane.position;
  }

  async pull(max: number, signal: AbortSignal): Promise<readonly LogEntry[]> {
    this.#settled ??= new Set(await this.#source.reader.call('settledAfter', [this.#destinationNumber, this.#cursor]));
    const aborted = abortion(signal);
    try {
      for (;;) {
        signal.throwIfAborted();
        const changed = this.#source.changed(this.#sourceId);
        const entries = await this.#next(max);
        const last = entries.at(-1);
        if (last) {
          this.#cursor = last.position;
          const open = this.#settled.size === 0 ? entries : entries.filter((entry) => !this.#wasSettled(entry));
          for (const { position } of open) this.#pending.add(position);
          if (open.length > 0) return open;
        } else if (this.#endSeq !== null) {
          return [];
        } else {
          await Promise.race([changed, aborted.promise]);
        }
      }
    } finally {
      aborted.forget();
    }
  }

  ack(positions: readonly Position[]): void {
    for (const position of positions) this.#pending.delete(position);
  }

  async oldestWaiting(): Promise<number | null> {
    const [oldest] = this.#pending;
    const after = oldest === undefined ? this.#cursor : oldest - 1;
    return this.#source.reader.call('receivedAfter', [
      this.#sourceNumber,
      after,
      this.#endSeq ?? Number.MAX_SAFE_INTEGER,
    ]);
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
    const recent = this.#source.tail.read(this.#sourceId, this.#cursor, max);
    if (recent)
      return this.#endSeq === null ? recent : recent.filter(({ position }) => position <= (this.#endSeq ?? 0));
    const through = this.#endSeq ?? Number.MAX_SAFE_INTEGER;
    return this.#source.reader.call('readLane', [this.#sourceNumber, this.#cursor, through, max]);
  }

  #wasSettled(entry: LogEntry): boolean {
    return this.#settled?.delete(entry.position) ?? false;
  }
}

/** A promise that rejects when the signal aborts, and a way to let go of the signal. */
function abortion(signal: AbortSignal): { promise: Promise<never>; forget: () => void } {
  let forget = (): void => undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    forget = () => signal.removeEventListener('abort', abort);
  });
  // Nobody may be waiting for it when it rejects.
  promise.catch(() => undefined);
  return { promise, forget };
}
