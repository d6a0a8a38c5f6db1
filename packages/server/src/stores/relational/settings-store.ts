import { revisionOf, type Versioned } from '../../core/revision.ts';
import type { Source } from '../../core/source.ts';
import type { SettingsStore, StoredDestination, StoredSettings, StoredSource } from '../../settings/contract.ts';
import { changeDocument, documents } from './documents.ts';
import type { Sql } from './sql.ts';

/** Settings as documents. Each change is told to every process when it is committed. */
export class RelationalSettingsStore implements SettingsStore {
  readonly watch?: (changed: () => Promise<void>) => () => void;
  readonly #sql: Sql;

  constructor(database: Sql) {
    this.#sql = database;
    const { watch } = database;
    if (watch) this.watch = (changed) => watch('settings', changed);
  }

  async load(): Promise<StoredSettings> {
    const [sources, destinations] = await Promise.all([
      documents<StoredSource>(this.#sql, 'source'),
      documents<StoredDestination>(this.#sql, 'destination'),
    ]);
    return { sources, destinations };
  }

  putSource(source: Source): Promise<boolean> {
    return this.#put('source', source);
  }

  deleteSource(id: string, revision?: number): Promise<boolean> {
    return this.#delete('source', id, revision);
  }

  putDestination(destination: StoredDestination): Promise<boolean> {
    return this.#put('destination', destination);
  }

  deleteDestination(id: string, revision?: number): Promise<boolean> {
    return this.#delete('destination', id, revision);
  }

  #put(kind: 'source' | 'destination', thing: Versioned & { readonly id: string }): Promise<boolean> {
    return this.#change(kind, thing.id, (now) =>
      revisionOf(thing) === (now ? revisionOf(now) + 1 : 1) ? thing : null,
    );
  }

  #delete(kind: 'source' | 'destination', id: string, revision: number | undefined): Promise<boolean> {
    return this.#change(kind, id, (now) =>
      now && revision !== undefined && revisionOf(now) !== revision ? null : undefined,
    );
  }

  #change(
    kind: 'source' | 'destination',
    id: string,
    change: (now: Versioned | undefined) => Versioned | undefined | null,
  ): Promise<boolean> {
    return changeDocument(this.#sql, kind, id, change, { tells: 'settings' });
  }
}
