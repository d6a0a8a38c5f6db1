import type { LiveEvent, LiveRate } from '../../../../server/src/admin/contract.ts';

/** An event with its place in the order of arrival, which no other has: a message may come twice. */
export interface LiveRow extends LiveEvent {
  readonly place: number;
}

/** `connecting` until the stream is there for the first time; `lost` while it is asked for again. */
export type Connection = 'connecting' | 'open' | 'lost';

export interface LiveView {
  readonly connection: Connection;
  /** Newest first, at most `MOST_ROWS`. While paused, what was there when it began. */
  readonly rows: readonly LiveRow[];
  /** Of the last second; null before the first. */
  readonly rate: LiveRate | null;
  readonly paused: boolean;
  /** Events that passed the filter since the pause began. */
  readonly missed: number;
}

export const MOST_ROWS = 500;

/**
 * What the live debugger shows. However much comes, it holds the newest `MOST_ROWS` events, twice that while it is paused,
 * and tells its listeners once for each `schedule`: a screen needs no more.
 */
export class LiveBuffer {
  readonly #schedule: (tell: () => void) => void;
  readonly #listeners = new Set<() => void>();
  #view: LiveView = { connection: 'connecting', rows: [], rate: null, paused: false, missed: 0 };
  /** Newest first; what is shown when nothing is paused. */
  #newest: readonly LiveRow[] = [];
  /** Since the last telling, oldest first. */
  #arrived: LiveRow[] = [];
  #places = 0;
  #isScheduled = false;

  /** @param schedule calls back when the next picture is due. */
  constructor(schedule: (tell: () => void) => void) {
    this.#schedule = schedule;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same object until something has changed. */
  readonly view = (): LiveView => this.#view;

  event(event: LiveEvent): void {
    this.#arrived.push({ ...event, place: this.#places++ });
    // A page in the background gets no pictures; what it holds stays bounded all the same.
    if (this.#arrived.length > MOST_ROWS) this.#arrived = this.#arrived.slice(-MOST_ROWS);
    this.#count(1);
  }

  rate(rate: LiveRate): void {
    this.#count(rate.matched - rate.sent);
    this.#change({ rate });
  }

  connection(connection: Connection): void {
    this.#change({ connection, ...(connection !== 'open' && { rate: null }) });
  }

  pause(): void {
    this.#take();
    this.#change({ paused: true, missed: 0, rows: this.#newest });
  }

  resume(): void {
    this.#change({ paused: false, missed: 0 });
  }

  clear(): void {
    this.#arrived = [];
    this.#newest = [];
    this.#change({ rows: [], missed: 0 });
  }

  #count(events: number): void {
    const { paused, missed } = this.#view;
    this.#change(paused ? { missed: missed + events } : {});
  }

  #change(change: Partial<LiveView>): void {
    this.#view = { ...this.#view, ...change };
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => {
      this.#isScheduled = false;
      this.#take();
      if (!this.#view.paused) this.#view = { ...this.#view, rows: this.#newest };
      for (const listener of this.#listeners) listener();
    });
  }

  #take(): void {
    if (this.#arrived.length === 0) return;
    this.#newest = [...this.#arrived.reverse(), ...this.#newest].slice(0, MOST_ROWS);
    this.#arrived = [];
  }
}
