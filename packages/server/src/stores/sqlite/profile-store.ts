import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { NAMING_TRAITS, type ProfileReader, type ProfileStore } from '../../people/contract.ts';
import { profileReader } from '../relational/profile-reader.ts';
import { addLater, named, openDatabase, openReadOnly, transaction } from './database.ts';
import { cutLog } from './erasing.ts';
import { LEDGER_SCHEMA } from './people-ledger.ts';
import { MEMBERS_BY_TIME, namingIndex, PEOPLE_SCHEMA } from './people-schema.ts';
import { profileSql } from './profile-sql.ts';
import { sqliteProfileWriter } from './profile-writer.ts';

/**
 * The profile store in `people.db` of a data folder. See people/contract.ts for its promises.
 *
 * @throws Error if the file can't be used.
 */
export function openProfileStore(dataDir: string): ProfileStore {
  const db = openProfileFile(dataDir);
  // A small cache of our own: the operating system's copy of the file is as fast, and is no memory of this process.
  db.exec('PRAGMA cache_size = -24000');
  // Checkpoints are rare, so that a page that changes often is seldom written back.
  db.exec('PRAGMA wal_autocheckpoint = 32000');
  // Larger than the log grows between two checkpoints: a truncated log would only grow again.
  db.exec('PRAGMA journal_size_limit = 201326592');
  return profileStore(db);
}

/** Opens the file, and makes it if it is missing. */
export function openProfileFile(dataDir: string): DatabaseSync {
  // Small pages: changed persons are spread over the file, so a call writes about a page for each changed row.
  const db = openDatabase(profilePath(dataDir), 'full', PEOPLE_SCHEMA + LEDGER_SCHEMA, 4096);
  named(profilePath(dataDir), () => {
    transaction(db, () => {
      db.exec(namingIndex(NAMING_TRAITS.map((name) => numberOf(db, name))));
      addLater(db, 'member', 'since', 'INTEGER NOT NULL DEFAULT 0');
      db.exec(MEMBERS_BY_TIME);
    });
  });
  return db;
}

function numberOf(db: DatabaseSync, word: string): number {
  db.prepare('INSERT OR IGNORE INTO word (text) VALUES (?)').run(word);
  return Number(db.prepare('SELECT id FROM word WHERE text = ?').get(word)?.['id']);
}

/** Opens the same file for long queries, on another thread. `openProfileStore` must have made it. */
export function openProfileReader(dataDir: string): { readonly reader: ProfileReader; close(): void } {
  const db = openReadOnly(profilePath(dataDir));
  return { reader: profileReader(profileSql(db)), close: () => db.close() };
}

function profileStore(db: DatabaseSync): ProfileStore {
  const profiles = profileSql(db);
  const writer = sqliteProfileWriter(db, profiles);
  /** True if the file was rewritten, but its log could not be truncated yet. */
  let isRewritten = false;
  return {
    ...profileReader(profiles),

    async transaction(work) {
      db.exec('BEGIN IMMEDIATE');
      try {
        const result = await work(writer, false);
        db.exec('COMMIT');
        return result;
      } catch (error) {
        // SQLite may have rolled back already, for example on a full disk.
        if (db.isTransaction) db.exec('ROLLBACK');
        writer.undone();
        throw error;
      }
    },

    async compact() {
      // Rows move when their page is full, and leave copies in the old places. Only a new file has no such copies.
      if (!isRewritten) db.exec('VACUUM');
      isRewritten = false;
      const isCut = cutLog(db);
      isRewritten = !isCut;
      return isCut;
    },

    async close() {
      db.close();
    },
  };
}

export function profilePath(dataDir: string): string {
  return join(dataDir, 'people.db');
}
