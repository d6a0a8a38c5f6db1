import type { Clock } from '../core/clock.ts';
import { Recurring } from '../core/recurring.ts';
import type { Service } from '../core/service.ts';
import type { StatsStore } from './contract.ts';

const DAY_MS = 86_400_000;
/** What other processes counted is known this late, and their statistics reach the store a few seconds later. */
const LOOK_MS = 10_000;

export interface DayCountsOptions {
  readonly store: Pick<StatsStore, 'totals'>;
  readonly clock: Clock;
  /** Sources whose events are counted. */
  readonly sourceIds: () => readonly string[];
  readonly failed: (error: unknown) => void;
}

/** How many events of a source were accepted on this day (UTC), on all nodes and beyond a restart. Late by some seconds. */
export class DayCounts implements Service {
  readonly #options: DayCountsOptions;
  readonly #looking: Recurring;
  #day = 0;
  /** As the store had it at the last look. */
  #stored: ReadonlyMap<string, number> = new Map();
  /** Accepted here since then. */
  #since = new Map<string, number>();

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
    this.#since.set(sourceId, (this.#since.get(sourceId) ?? 0) + events);
  }

  today(sourceId: string): number {
    if (this.#day !== this.#dayOf(this.#options.clock.now())) return 0;
    return (this.#stored.get(sourceId) ?? 0) + (this.#since.get(sourceId) ?? 0);
  }

  async #look(): Promise<void> {
    const { store, clock, sourceIds, failed } = this.#options;
    const day = this.#dayOf(clock.now());
    const since = new Map<string, number>();
    const before = this.#since;
    this.#since = since;
    try {
      const ids = sourceIds();
      const sums = ids.length === 0 ? new Map() : await store.totals(ids, day, day + DAY_MS);
      this.#stored = new Map([...sums].map(([id, { accepted }]) => [id, accepted]));
      this.#day = day;
    } catch (error) {
      for (const [id, count] of before) since.set(id, (since.get(id) ?? 0) + count);
      failed(error);
    }
  }

  #dayOf(now: number): number {
    return Math.floor(now / DAY_MS) * DAY_MS;
  }
}
