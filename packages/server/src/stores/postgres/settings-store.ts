import { revisionOf, type Versioned } from '../../core/revision.ts';
import type { Source } from '../../core/source.ts';
import type { SettingsStore, StoredDestination, StoredSettings, StoredSource } from '../../settings/contract.ts';
import type { Database } from './database.ts';
import { addDocument, deleteDocument, documents, lockDocument, putDocument } from './documents.ts';
import type { Listener } from './listener.ts';

/** The channel that tells every node of a change. */
const CHANNEL = 'millrace_settings';

/** Settings as documents. Each change is told to all nodes when it is committed. */
export class PostgresSettingsStore implements SettingsStore {
  readonly #database: Database;
  readonly #listener: Listener;

  constructor(database: Database, listener: Listener) {
    this.#database = database;
    this.#listener = listener;
  }

  async load(): Promise<StoredSettings> {
    const [sources, destinations] = await Promise.all([
      documents<StoredSource>(this.#database, 'source'),
      documents<StoredDestination>(this.#database, 'destination'),
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

  watch(changed: () => Promise<void>): () => void {
    return this.#listener.listen(CHANNEL, changed);
  }

  #put(kind: 'source' | 'destination', thing: Source | StoredDestination): Promise<boolean> {
    return this.#change(async (queries) => {
      if (revisionOf(thing) === 1) return addDocument(queries, kind, thing.id, thing);
      const now = await lockDocument<Versioned>(queries, kind, thing.id);
      if (now === undefined || revisionOf(now) !== revisionOf(thing) - 1) return false;
      await putDocument(queries, kind, thing.id, thing);
      return true;
    });
  }

  #delete(kind: 'source' | 'destination', id: string, revision: number | undefined): Promise<boolean> {
    return this.#change(async (queries) => {
      const now = await lockDocument<Versioned>(queries, kind, id);
      if (now !== undefined && revision !== undefined && revisionOf(now) !== revision) return false;
      await deleteDocument(queries, kind, id);
      return true;
    });
  }

  #change(change: (queries: Pick<Database, 'query'>) => Promise<boolean>): Promise<boolean> {
    return this.#database.transaction(async (queries) => {
      const isChanged = await change(queries);
      if (isChanged) await queries.query(`SELECT pg_notify('${CHANNEL}', '')`);
      return isChanged;
    });
  }
}
