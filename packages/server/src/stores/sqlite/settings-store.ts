import type { Destination } from '../../core/destination.ts';
import type { Source } from '../../core/source.ts';
import type { SettingsStore, StoredSettings } from '../../settings/contract.ts';
import type { Thread } from '../../threads/thread.ts';
import type { Writer } from './writer.ts';

/** Settings as documents of `millrace.db`. */
export class SqliteSettingsStore implements SettingsStore {
  readonly #writer: Thread<Writer>;

  constructor(writer: Thread<Writer>) {
    this.#writer = writer;
  }

  async load(): Promise<StoredSettings> {
    const [sources, destinations] = await Promise.all([
      this.#writer.part('documents').call('all', ['sources']),
      this.#writer.part('documents').call('all', ['destinations']),
    ]);
    return {
      sources: sources.map((json) => ({ oldKey: null, ...(JSON.parse(json) as Written<Source, 'oldKey'>) })),
      destinations: destinations.map((json) => ({
        updatedAt: null,
        maxEventAgeHours: null,
        ...(JSON.parse(json) as Written<Destination, 'updatedAt' | 'maxEventAgeHours'>),
      })),
    };
  }

  async putSource(source: Source): Promise<void> {
    await this.#writer.part('documents').call('put', ['sources', source.id, JSON.stringify(source)]);
  }

  async deleteSource(id: string): Promise<void> {
    await this.#writer.part('documents').call('delete', ['sources', id]);
  }

  async putDestination(destination: Destination): Promise<void> {
    await this.#writer.part('documents').call('put', ['destinations', destination.id, JSON.stringify(destination)]);
  }

  async deleteDestination(id: string): Promise<void> {
    await this.#writer.part('documents').call('delete', ['destinations', id]);
  }
}

/** What an earlier version wrote lacks the fields that came later. */
type Written<T, Later extends keyof T> = Omit<T, Later> & Partial<Pick<T, Later>>;
