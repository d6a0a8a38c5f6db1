import type { Source } from '../../core/source.ts';
import type { SettingsStore, StoredDestination, StoredSettings, StoredSource } from '../../settings/contract.ts';
import type { Database } from './database.ts';
import { deleteDocument, documents, putDocument } from './documents.ts';
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

  putSource(source: Source): Promise<void> {
    return this.#change((queries) => putDocument(queries, 'source', source.id, source));
  }

  deleteSource(id: string): Promise<void> {
    return this.#change((queries) => deleteDocument(queries, 'source', id));
  }

  putDestination(destination: StoredDestination): Promise<void> {
    return this.#change((queries) => putDocument(queries, 'destination', destination.id, destination));
  }

  deleteDestination(id: string): Promise<void> {
    return this.#change((queries) => deleteDocument(queries, 'destination', id));
  }

  watch(changed: () => Promise<void>): () => void {
    return this.#listener.listen(CHANNEL, changed);
  }

  #change(change: (queries: Pick<Database, 'query'>) => Promise<void>): Promise<void> {
    return this.#database.transaction(async (queries) => {
      await change(queries);
      await queries.query(`SELECT pg_notify('${CHANNEL}', '')`);
    });
  }
}
