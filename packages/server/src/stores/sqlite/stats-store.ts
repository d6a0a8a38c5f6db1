import type { LastTimes, StatsAddition, StatsQuery, StatsStore, StatsSums } from '../../record/contract.ts';
import type { Thread } from '../../threads/thread.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/** Statistics in `millrace.db`; see record/contract.ts for what it promises. */
export class SqliteStatsStore implements StatsStore {
  readonly #writer: Thread<Writer>;
  readonly #queryReader: Thread<Reader>;

  constructor(writer: Thread<Writer>, queryReader: Thread<Reader>) {
    this.#writer = writer;
    this.#queryReader = queryReader;
  }

  async add(additions: readonly StatsAddition[]): Promise<void> {
    await this.#writer.call('addStats', [additions]);
  }

  series(query: StatsQuery): Promise<readonly StatsSums[]> {
    return this.#queryReader.call('statsSeries', [query]);
  }

  totals(subjects: readonly string[], from: number, to: number): Promise<ReadonlyMap<string, StatsSums>> {
    return this.#queryReader.call('statsTotals', [subjects, from, to]);
  }

  last(subjects: readonly string[]): Promise<ReadonlyMap<string, LastTimes>> {
    return this.#queryReader.call('statsLast', [subjects]);
  }
}
