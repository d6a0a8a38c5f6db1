import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { NAMING_TRAITS, type ProfileReader, type ProfileStore } from '../../people/contract.ts';
import { profileReader } from '../relational/profile-reader.ts';
import { addLater, openDatabase, openReadOnly, transaction } from './database.ts';
import { cutLog } from './erasing.ts';
import { LEDGER_SCHEMA } from './people-ledger.ts';
import { PeopleNumbers } from './people-numbers.ts';
import { MEMBERS_BY_TIME, namingIndex, PEOPLE_SCHEMA } from './people-schema.ts';
import { profileSql } from './profile-sql.ts';
import { sqliteProfileWriter } from './profile-writer.ts';

/**
 * The profile store in `people.db` of a data folder; see people/contract.ts for what it promises.
 *
 * @throws Error when the file can't be used.
 */
export function openProfileStore(dataDir: string): ProfileStore {
  const db = openProfileFile(dataDir);
  // The operating system's copy of the file serves as well as a larger one of ours, and is not memory of this process.
  db.exec('PRAGMA cache_size = -24000');
  // And a page that changes often is written back seldom.
  db.exec('PRAGMA wal_autocheckpoint = 32000');
  // So its log is never cut between two checkpoints: it would only grow again.
  db.exec('PRAGMA journal_size_limit = 201326592');
  return profileStore(db);
}

/** The file, made where it is missing. */
export function openProfileFile(dataDir: string): DatabaseSync {
  // Persons are many and come in no order, so a call writes as many pages as it changes rows: small ones.
  const db = openDatabase(profilePath(dataDir), 'full', PEOPLE_SCHEMA + LEDGER_SCHEMA, 4096);
  const numbers = new PeopleNumbers(db);
  transaction(db, () => {
    db.exec(namingIndex(NAMING_TRAITS.map((name) => numbers.word(name))));
    addLater(db, 'member', 'since', 'INTEGER NOT NULL DEFAULT 0');
    db.exec(MEMBERS_BY_TIME);
  });
  return db;
}

/** The same file for questions that take long, on another thread; `openProfileStore` has made it. */
export function openProfileReader(dataDir: string): { readonly reader: ProfileReader; close(): void } {
  const db = openReadOnly(profilePath(dataDir));
  return { reader: profileReader(profileSql(db)), close: () => db.close() };
}

function profileStore(db: DatabaseSync): ProfileStore {
  const profiles = profileSql(db);
  const writer = sqliteProfileWriter(db, profiles);
  /** The file is rewritten, and its log not cut yet. */
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
        // A full disk may have ended the transaction already.
        if (db.isTransaction) db.exec('ROLLBACK');
        writer.undone();
        throw error;
      }
    },

    async compact() {
      // A row that moves when its page is full leaves a copy in the old place, which nothing but a new file is free of.
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
