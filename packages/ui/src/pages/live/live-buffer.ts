import type { LiveEvent, LiveRate, LiveRejection } from '../../../../server/src/admin/contract.ts';
import type { LiveFilter } from '../../api/events.ts';

/** An event, or a call that was refused, with the id that the stream gives it: the same however often it is opened. */
export type LiveRow = (LiveEvent | LiveRejection) & { readonly id: string };

export function isRejected(row: LiveRow): row is LiveRejection & { readonly id: string } {
  return 'code' in row;
}

/** `connecting` until the stream is there for the first time; `lost` while it is asked for again, `refused` where it is not. */
export type Connection = 'connecting' | 'open' | 'lost' | 'refused';

export interface LiveView {
  readonly connection: Connection;
  /** Why the filter is refused; null where it is not. */
  readonly refusal: string | null;
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
 * also those that no filter of then passed. It shows those that pass the filter of now, and tells its listeners once for each
 * `schedule`: a screen needs no more.
 */
export class LiveBuffer {
  readonly #schedule: (tell: () => void) => void;
  readonly #listeners = new Set<() => void>();
  #view: LiveView = { connection: 'connecting', refusal: null, rows: [], rate: null, paused: false, missed: 0 };
  /** Newest first. */
  #newest: readonly LiveRow[] = [];
  #filter: LiveFilter = {};
  /** Cleared rows don't come again when the stream is opened again. */
  #clearedAt = '';
  /** Since the last telling, oldest first. */
  #arrived: LiveRow[] = [];
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

  come(row: LiveRow): void {
    // A stream that is opened again begins with what was there.
    if (row.receivedAt <= this.#clearedAt || this.#isKnown(row)) return;
    this.#arrived.push(row);
    // A page in the background gets no pictures; what it holds stays bounded all the same.
    if (this.#arrived.length > MOST_ROWS) this.#arrived = this.#arrived.slice(-MOST_ROWS);
    this.#count(1);
  }

  /** Keeps what it has, and shows what of that passes. */
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
    // Of one moment, what came last is on top.
    const all = [...this.#arrived.toReversed(), ...this.#newest];
    this.#arrived = [];
    this.#newest = all
      .toSorted((a, b) => (a.receivedAt < b.receivedAt ? 1 : a.receivedAt > b.receivedAt ? -1 : 0))
      .slice(0, MOST_ROWS);
  }
}

/** As the service filters. */
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
