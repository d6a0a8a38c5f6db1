import type { Destination } from '../../core/destination.ts';
import type { Source } from '../../core/source.ts';
import type { SettingsStore, StoredSettings } from '../../settings/contract.ts';
import type { Thread } from './thread.ts';
import type { Writer } from './writer.ts';

/** Settings as documents of `millrace.db`. */
export class SqliteSettingsStore implements SettingsStore {
  readonly #writer: Thread<Writer>;

  constructor(writer: Thread<Writer>) {
    this.#writer = writer;
  }

  async load(): Promise<StoredSettings> {
    const [sources, destinations] = await Promise.all([
      this.#writer.call('documents', ['sources']),
      this.#writer.call('documents', ['destinations']),
    ]);
    return {
      sources: sources.map((json) => JSON.parse(json) as Source),
      destinations: destinations.map((json) => JSON.parse(json) as Destination),
    };
  }

  async putSource(source: Source): Promise<void> {
    await this.#writer.call('putDocument', ['sources', source.id, JSON.stringify(source)]);
  }

  async deleteSource(id: string): Promise<void> {
    await this.#writer.call('deleteDocument', ['sources', id]);
  }

  async putDestination(destination: Destination): Promise<void> {
    await this.#writer.call('putDocument', ['destinations', destination.id, JSON.stringify(destination)]);
  }

  async deleteDestination(id: string): Promise<void> {
    await this.#writer.call('deleteDocument', ['destinations', id]);
  }
}
