import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { ProfileStore, ProfileWriter } from '../../people/contract.ts';
import { openDatabase, openReadOnly } from './database.ts';
import { LEDGER_SCHEMA } from './people-ledger.ts';
import { PEOPLE_SCHEMA } from './people-schema.ts';
import { SqliteProfileReader } from './profile-reader.ts';
import { SqliteProfileWriter } from './profile-writer.ts';

/**
 * The profile store in `people.db` of a data folder; see people/contract.ts for what it promises.
 *
 * @throws Error when the file can't be used.
 */
export function openProfileStore(dataDir: string): ProfileStore {
  const db = openDatabase(profilePath(dataDir), 'full', PEOPLE_SCHEMA + LEDGER_SCHEMA);
  // Persons are many and come in no order: more of the file in memory saves more reading than elsewhere.
  db.exec('PRAGMA cache_size = -64000');
  // And a page that changes often is written back seldom.
  db.exec('PRAGMA wal_autocheckpoint = 16000');
  return new SqliteProfileStore(db);
}

/** The same file for questions that take long, on another thread; `openProfileStore` has made it. */
export function openProfileReader(dataDir: string): { readonly reader: SqliteProfileReader; close(): void } {
  const db = openReadOnly(profilePath(dataDir));
  return { reader: new SqliteProfileReader(db), close: () => db.close() };
}

class SqliteProfileStore extends SqliteProfileReader implements ProfileStore {
  readonly #writer: SqliteProfileWriter;

  constructor(db: DatabaseSync) {
    super(db);
    this.#writer = new SqliteProfileWriter(db);
  }

  async transaction<T>(work: (writer: ProfileWriter) => Promise<T>): Promise<T> {
    this.db.exec('BEGIN IMMEDIATE');
    try {
      const result = await work(this.#writer);
      this.db.exec('COMMIT');
      return result;
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      this.#writer.forgetNumbers();
      this.forgetNumbers();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.db.close();
  }
}

function profilePath(dataDir: string): string {
  return join(dataDir, 'people.db');
}
