import type { LiveEvent, LiveRate, LiveRejection } from '../../../../server/src/admin/contract.ts';
import type { LiveFilter } from '../../api/events.ts';

/** An event or a refused call, with the stream's id for it. The id is the same on every connection. */
export type LiveRow = (LiveEvent | LiveRejection) & { readonly id: string };

export function isRejected(row: LiveRow): row is LiveRejection & { readonly id: string } {
  return 'code' in row;
}

/** `connecting` until the first connection; `lost` while it reconnects; `refused` if the service does not allow the stream. */
export type Connection = 'connecting' | 'open' | 'lost' | 'refused';

export interface LiveView {
  readonly connection: Connection;
  /** Why the service refuses the filter; null if it does not. */
  readonly refusal: string | null;
  /** Newest first, at most `MOST_ROWS`. While paused, the rows from when the pause began. */
  readonly rows: readonly LiveRow[];
  /** The rate of the last second; null before the first second. */
  readonly rate: LiveRate | null;
  readonly paused: boolean;
  /** Events that have passed the filter since the pause began. */
  readonly missed: number;
}

export const MOST_ROWS = 500;

/**
 * The rows of the live debugger. Holds the newest `MOST_ROWS` events, or twice as many while paused, also events that an
 * earlier filter excluded. Shows those that pass the current filter. Calls its listeners at most once for each
 * `schedule`, which is enough for a screen.
 */
export class LiveBuffer {
  readonly #schedule: (tell: () => void) => void;
  readonly #listeners = new Set<() => void>();
  #view: LiveView = { connection: 'connecting', refusal: null, rows: [], rate: null, paused: false, missed: 0 };
  /** Newest first. */
  #newest: readonly LiveRow[] = [];
  #filter: LiveFilter = {};
  /** Rows received until then are cleared, and must not come back when the stream reconnects. */
  #clearedAt = '';
  /** Rows since the listeners were last called, oldest first. */
  #arrived: LiveRow[] = [];
  #isScheduled = false;

  /** @param schedule calls its argument when the next frame is due. */
  constructor(schedule: (tell: () => void) => void) {
    this.#schedule = schedule;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Returns the same object until something changes. */
  readonly view = (): LiveView => this.#view;

  come(row: LiveRow): void {
    // After a reconnect, the stream sends earlier rows again.
    if (row.receivedAt <= this.#clearedAt || this.#isKnown(row)) return;
    this.#arrived.push(row);
    // A page in the background gets no frames, but its memory must stay limited.
    if (this.#arrived.length > MOST_ROWS) this.#arrived = this.#arrived.slice(-MOST_ROWS);
    this.#count(1);
  }

  /** Keeps all rows, and shows those that pass the new filter. */
  filter(filter: LiveFilter): void {
    this.#filter = filter;
    this.#take();
    this.#change(this.#view.paused ? { rows: this.#shown() } : {});
  }

  rate(rate: LiveRate): void {
    this.#count(rate.matched - rate.sent);
    this.#change({ rate });
  }

  connection(connection: Exclude<Connection, 'refused'>): void {
    this.#change({ connection, refusal: null, ...(connection !== 'open' && { rate: null }) });
  }

  refused(refusal: string): void {
    this.#change({ connection: 'refused', refusal });
  }

  pause(): void {
    this.#take();
    this.#change({ paused: true, missed: 0, rows: this.#shown() });
  }

  resume(): void {
    this.#change({ paused: false, missed: 0 });
  }

  clear(): void {
    this.#take();
    this.#clearedAt = this.#newest[0]?.receivedAt ?? this.#clearedAt;
    this.#arrived = [];
    this.#newest = [];
    this.#change({ rows: [], missed: 0 });
  }

  #isKnown({ id }: LiveRow): boolean {
    return [...this.#arrived, ...this.#newest].some((known) => known.id === id);
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
      if (!this.#view.paused) this.#view = { ...this.#view, rows: this.#shown() };
      for (const listener of this.#listeners) listener();
    });
  }

  #shown(): readonly LiveRow[] {
    return this.#newest.filter((row) => passes(row, this.#filter));
  }

  #take(): void {
    if (this.#arrived.length === 0) return;
    // Among rows of the same time, the last to arrive comes first.
    const all = [...this.#arrived.toReversed(), ...this.#newest];
    this.#arrived = [];
    this.#newest = all
      .toSorted((a, b) => (a.receivedAt < b.receivedAt ? 1 : a.receivedAt > b.receivedAt ? -1 : 0))
      .slice(0, MOST_ROWS);
  }
}

/** Filters in the same way as the service. */
function passes(row: LiveRow, { sourceId, type, event, userId, text = '' }: LiveFilter): boolean {
  if (sourceId !== undefined && row.sourceId !== sourceId) return false;
  const wanted = text.toLowerCase();
  if (isRejected(row)) {
    const isOfCall = type !== undefined || event !== undefined || userId !== undefined;
    return !isOfCall && [row.code, row.message, row.part].some((part) => part.toLowerCase().includes(wanted));
  }
  return (
    (type === undefined || row.type === type) &&
    (event === undefined || row.event === event) &&
    (userId === undefined || row.userId === userId) &&
    (wanted === '' || row.body.toLowerCase().includes(wanted))
  );
}
