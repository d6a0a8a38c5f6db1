import type { LogEntry, Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import type { LaneReader } from '../log/contract.ts';

/** Takes one lane's entries a page at a time, and holds at most one page: a backlog stays in the log. */
export class Intake {
  readonly lane: Lane;
  readonly #reader: LaneReader;
  readonly #stop = new AbortController();
  #page: readonly LogEntry[] = [];
  #next = 0;
  #pulling = false;
  #drained = false;

  constructor(lane: Lane, reader: LaneReader) {
    this.lane = lane;
    this.#reader = reader;
  }

  /** The entry whose turn it is, left where it is. */
  peek(): LogEntry | undefined {
    return this.#page[this.#next];
  }

  take(): LogEntry | undefined {
    return this.#page[this.#next++];
  }

  ack(positions: readonly Position[]): void {
    this.#reader.ack(positions);
  }

  /** Lets go of entries that are not taken yet, and acknowledges them. */
  withdraw(positions: ReadonlySet<Position>): void {
    const left = this.#page.slice(this.#next);
    this.#page = left.filter(({ position }) => !positions.has(position));
    this.#next = 0;
    this.ack(left.map(({ position }) => position).filter((position) => positions.has(position)));
  }

  /** Nothing will ever come again. */
  get drained(): boolean {
    return this.#drained;
  }

  /**
   * Sees to it that entries come when none are left: asks for a page, unless it has asked. `arrived` is called when there
   * is one, `failed` with what the log says when it cannot be read.
   */
  refill(max: number, arrived: () => void, failed: (error: unknown) => void): void {
    if (this.#pulling || this.#drained || this.#stop.signal.aborted || this.#next < this.#page.length) return;
    this.#pulling = true;
    this.#reader.pull(max, this.#stop.signal).then(
      (page) => {
        this.#pulling = false;
        this.#page = page;
        this.#next = 0;
        if (page.length === 0) this.#drained = true;
        else arrived();
      },
      (error: unknown) => {
        this.#pulling = false;
        if (!this.#stop.signal.aborted) failed(error);
      },
    );
  }

  /** Ends the waiting for entries. What was not taken stays unacknowledged, and so in the lane. */
  stop(): void {
    this.#stop.abort();
    this.#page = [];
    this.#next = 0;
  }

  /** Gives back what was handed out and not acknowledged. */
  close(): void {
    this.#reader.close?.();
  }
}
