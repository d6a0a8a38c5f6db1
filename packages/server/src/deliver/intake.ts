import type { LogEntry, Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import type { LaneReader } from '../log/contract.ts';

/** Takes the entries of a lane page by page, and holds one page at most: a backlog stays in the log. */
export class Intake {
  readonly lane: Lane;
  readonly #reader: LaneReader;
  readonly #stop = new AbortController();
  #page: readonly LogEntry[] = [];
  #next = 0;
  #pulling = false;
  #restsUntil = 0;
  #drained = false;

  constructor(lane: Lane, reader: LaneReader) {
    this.lane = lane;
    this.#reader = reader;
  }

  /** The next entry, without taking it. */
  peek(): LogEntry | undefined {
    return this.#page[this.#next];
  }

  take(): LogEntry | undefined {
    return this.#page[this.#next++];
  }

  ack(positions: readonly Position[]): void {
    this.#reader.ack(positions);
  }

  /** Drops and acknowledges entries that are not taken yet. */
  withdraw(positions: ReadonlySet<Position>): void {
    const left = this.#page.slice(this.#next);
    this.#page = left.filter(({ position }) => !positions.has(position));
    this.#next = 0;
    this.ack(left.map(({ position }) => position).filter((position) => positions.has(position)));
  }

  /** After a failure no page is asked for until then, milliseconds since the epoch. */
  get restsUntil(): number {
    return this.#restsUntil;
  }

  /** Whether the lane has ended and is read to its end. */
  get drained(): boolean {
    return this.#drained;
  }

  /**
   * Asks for a page where no entries are left and no page is on its way. `arrived` is called when the page is there, `failed`
   * with the error of the log; it answers when the next page may be asked for.
   */
  refill(now: number, max: number, arrived: () => void, failed: (error: unknown) => number): void {
    if (this.#pulling || this.#drained || this.#stop.signal.aborted || this.#next < this.#page.length) return;
    if (now < this.#restsUntil) return;
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
        if (!this.#stop.signal.aborted) this.#restsUntil = failed(error);
      },
    );
  }

  /** Stops waiting for entries. Entries that were not taken stay unacknowledged, and so in the lane. */
  stop(): void {
    this.#stop.abort();
    this.#page = [];
    this.#next = 0;
  }

  /** Gives entries that were handed out and not acknowledged to other readers. */
  close(): void {
    this.#reader.close?.();
  }
}
