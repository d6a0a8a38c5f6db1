import type { Clock } from '../core/clock.ts';
import { Recurring } from '../core/recurring.ts';
import type { Service } from '../core/service.ts';
import type { StatsSums } from './contract.ts';

const DAY_MS = 86_400_000;
/** What other processes counted is known this late, after their statistics have reached the store. */
const LOOK_MS = 10_000;

export interface DayCountsOptions {
  readonly store: {
    totals(ids: readonly string[], from: number, to: number): Promise<ReadonlyMap<string, Pick<StatsSums, 'accepted'>>>;
  };
  /** Writes what this process has counted to the store. Answers false if the store refused it. */
  readonly flush: () => Promise<boolean>;
  readonly clock: Clock;
  /** Sources whose events are counted. */
  readonly sourceIds: () => readonly string[];
  readonly failed: (error: unknown) => void;
}

/**
 * How many events of a source were accepted on this day (UTC), on all nodes and beyond a restart. Those of this process count at
 * once, those of others some seconds later.
 */
export class DayCounts implements Service {
  readonly #options: DayCountsOptions;
  readonly #looking: Recurring;
  #day = 0;
  /** As the store had it at the last look of this day; null before the first look of this process. */
  #stored: ReadonlyMap<string, number> | null = null;
  /** Accepted here since the start, and what of it is of another day or in `#stored`. */
  readonly #accepted = new Map<string, number>();
  #included: ReadonlyMap<string, number> = new Map();

  constructor(options: DayCountsOptions) {
    this.#options = options;
    this.#looking = new Recurring({ clock: options.clock, every: LOOK_MS, run: () => this.#look() });
  }

  /** The counts are known when it resolves. */
  async start(): Promise<void> {
    await this.#look();
    await this.#looking.start();
  }

  stop(): Promise<void> {
    return this.#looking.stop();
  }

  accepted(sourceId: string, events: number): void {
    this.#followDay();
    this.#accepted.set(sourceId, (this.#accepted.get(sourceId) ?? 0) + events);
  }

  today(sourceId: string): number {
    this.#followDay();
    const of = (counts: ReadonlyMap<string, number> | null): number => counts?.get(sourceId) ?? 0;
    return of(this.#stored) + of(this.#accepted) - of(this.#included);
  }

  async #look(): Promise<void> {
    const { store, flush, sourceIds, failed } = this.#options;
    const ids = sourceIds();
    const day = this.#followDay();
    const accepted = new Map(this.#accepted);
    try {
      // At the first look the store's counts are taken even if it takes none. Without a source, none are asked for: one may get
      // a limit before the next look, and what this process accepts today counts.
      const isWritten = ids.length > 0 && (await flush());
      if (!isWritten && this.#stored !== null) return;
      const sums = ids.length === 0 ? [] : await store.totals(ids, day, day + DAY_MS);
      // These are of the day before: a day has begun meanwhile.
      if (day !== this.#day) return;
      this.#stored = new Map([...sums].map(([id, { accepted }]) => [id, accepted]));
      this.#included = accepted;
    } catch (error) {
      failed(error);
    }
  }

  /** Answers the day's beginning. On a new day, what this process accepted before counts no more, and nothing is stored yet. */
  #followDay(): number {
    const now = this.#options.clock.now();
    const day = now - (now % DAY_MS);
    if (day !== this.#day) {
      this.#day = day;
      this.#included = new Map(this.#accepted);
      if (this.#stored !== null) this.#stored = new Map();
    }
    return day;
  }
}
