import type { Source } from '../../core/source.ts';
import type { SettingsStore, StoredDestination, StoredSettings, StoredSource } from '../../settings/contract.ts';
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
      sources: sources.map((json) => JSON.parse(json) as StoredSource),
      destinations: destinations.map((json) => JSON.parse(json) as StoredDestination),
    };
  }

  async putSource(source: Source): Promise<void> {
    await this.#writer.part('documents').call('put', ['sources', source.id, JSON.stringify(source)]);
  }

  async deleteSource(id: string): Promise<void> {
    await this.#writer.part('documents').call('delete', ['sources', id]);
  }

  async putDestination(destination: StoredDestination): Promise<void> {
    await this.#writer.part('documents').call('put', ['destinations', destination.id, JSON.stringify(destination)]);
  }

  async deleteDestination(id: string): Promise<void> {
    await this.#writer.part('documents').call('delete', ['destinations', id]);
  }
}
