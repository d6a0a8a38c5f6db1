import { revisionOf } from '../../core/revision.ts';
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

  putSource(source: Source): Promise<boolean> {
    return this.#put('sources', source);
  }

  deleteSource(id: string, revision?: number): Promise<boolean> {
    return this.#writer.part('documents').call('deleteVersion', ['sources', id, revision ?? null]);
  }

  putDestination(destination: StoredDestination): Promise<boolean> {
    return this.#put('destinations', destination);
  }

  deleteDestination(id: string, revision?: number): Promise<boolean> {
    return this.#writer.part('documents').call('deleteVersion', ['destinations', id, revision ?? null]);
  }

  #put(table: 'sources' | 'destinations', thing: Source | StoredDestination): Promise<boolean> {
    const args = [table, thing.id, revisionOf(thing), JSON.stringify(thing)] as const;
    return this.#writer.part('documents').call('putVersion', [...args]);
  }
}
