import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Opens a database file for its one writer. `full` syncs every commit before it returns; `normal` leaves that to the
 * operating system and loses the last commits with the power, never with the process.
 */
export function openDatabase(path: string, synchronous: 'full' | 'normal'): DatabaseSync {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA page_size = 8192');
  db.exec('PRAGMA journal_mode = WAL');
  db.exec(`PRAGMA synchronous = ${synchronous}`);
  db.exec('PRAGMA wal_autocheckpoint = 2000');
  // A log that grew during a burst gives its space back at the next checkpoint.
  db.exec('PRAGMA journal_size_limit = 67108864');
  db.exec('PRAGMA cache_size = -16000');
  return db;
}

/** Opens a database file that another thread writes. */
export function openReadOnly(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true });
  db.exec('PRAGMA cache_size = -4000');
  return db;
}

/** Runs `work` in one transaction; what it throws undoes the whole and is thrown on. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk may have ended the transaction already.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Keeps other processes off the folder for as long as the answer is open. The lock is the operating system's, so it ends
 * with the process, however that ends.
 */
export function lockFolder(dataDir: string): DatabaseSync {
  const db = new DatabaseSync(join(dataDir, 'millrace.lock'));
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
    return db;
  } catch (cause) {
    db.close();
    throw new Error(`The data folder ${dataDir} is in use by another Millrace process, or cannot be written.`, {
      cause,
    });
  }
}
