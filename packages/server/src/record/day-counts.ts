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
  /** As the store had it at the last look. */
  #stored: ReadonlyMap<string, number> = new Map();
  /** Accepted here since the start, and what of it `#stored` has. */
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
    this.#accepted.set(sourceId, (this.#accepted.get(sourceId) ?? 0) + events);
  }

  today(sourceId: string): number {
    if (this.#day !== this.#dayOf(this.#options.clock.now())) return 0;
    const of = (counts: ReadonlyMap<string, number>): number => counts.get(sourceId) ?? 0;
    return of(this.#stored) + of(this.#accepted) - of(this.#included);
  }

  async #look(): Promise<void> {
    const { store, flush, clock, sourceIds, failed } = this.#options;
    const ids = sourceIds();
    const day = this.#dayOf(clock.now());
    const isNewDay = day !== this.#day;
    const accepted = new Map(this.#accepted);
    try {
      // On a new day the store's counts are taken even if it refused these: most of these are of the day before. Without a
      // source, none are asked for: one may get a limit before the next look, and what this process accepts today counts.
      const isWritten = ids.length > 0 && (await flush());
      if (!isWritten && !isNewDay) return;
      const sums = ids.length === 0 ? [] : await store.totals(ids, day, day + DAY_MS);
      this.#stored = new Map([...sums].map(([id, { accepted }]) => [id, accepted]));
      this.#included = accepted;
      this.#day = day;
    } catch (error) {
      failed(error);
    }
  }

  #dayOf(now: number): number {
    return Math.floor(now / DAY_MS) * DAY_MS;
  }
}
