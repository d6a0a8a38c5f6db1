import { closeSync, fsyncSync, openSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Opens a database file for its one writer, with the tables that `schema` makes. `full` syncs every commit before it returns;
 * `normal` leaves that to the operating system and loses the last commits with the power, never with the process.
 * `pageSize` is that of a file that is made now, in bytes.
 *
 * @throws Error that names the file, when it cannot be written or is not a database; it has SQLite's `errcode`.
 */
export function openDatabase(
  path: string,
  synchronous: 'full' | 'normal',
  schema: string | ((db: DatabaseSync) => void),
  pageSize = 8192,
): DatabaseSync {
  return open(path, false, (db) => {
    db.exec(`PRAGMA page_size = ${pageSize}`);
    db.exec('PRAGMA journal_mode = WAL');
    db.exec(`PRAGMA synchronous = ${synchronous}`);
    db.exec('PRAGMA wal_autocheckpoint = 2000');
    // A log that grew during a burst gives its space back at the next checkpoint.
    db.exec('PRAGMA journal_size_limit = 67108864');
    db.exec('PRAGMA cache_size = -16000');
    // What is removed is overwritten, so that it can't be read from the file.
    db.exec('PRAGMA secure_delete = ON');
    transaction(db, () => (typeof schema === 'string' ? db.exec(schema) : schema(db)));
  });
}

/** Opens a database file that another thread writes; fails as `openDatabase` does. */
export function openReadOnly(path: string): DatabaseSync {
  return open(path, true, (db) => db.exec('PRAGMA cache_size = -4000'));
}

/** Opens a database file that is no longer written and has no log beside it; fails as `openDatabase` does. */
export function openImmutable(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return open(url, true, (db) => db.exec('PRAGMA schema_version'));
}

/** Makes a file, or the names in a folder, durable. */
export function syncPath(path: string): void {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Gives the memory back that the files which this thread has open can do without. */
export function releaseMemory(): void {
  for (const reference of opened) {
    const db = reference.deref();
    if (db?.isOpen) db.exec('PRAGMA shrink_memory');
    else opened.delete(reference);
  }
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
 *
 * @throws FolderInUse when another process has it, Error when the folder cannot be written.
 */
export function lockFolder(dataDir: string): DatabaseSync {
  try {
    return open(lockPath(dataDir), false, (db) => {
      db.exec('PRAGMA locking_mode = EXCLUSIVE');
      db.exec('BEGIN EXCLUSIVE');
    });
  } catch (cause) {
    const { message, errcode } = cause as SqliteError;
    if (errcode === SQLITE_BUSY) {
      throw new FolderInUse(`The data folder ${dataDir} is in use by another Millrace process`, { cause });
    }
    throw new Error(`The data folder ${dataDir} cannot be used. ${message}`, { cause });
  }
}

export function lockPath(dataDir: string): string {
  return join(dataDir, 'millrace.lock');
}

/** Another process has the folder's lock. */
export class FolderInUse extends Error {}

const SQLITE_BUSY = 5;

interface SqliteError extends Error {
  /** SQLite's own code; in its lowest byte the kind of fault. */
  readonly errcode?: number;
}

/** The files that this thread has opened. */
const opened = new Set<WeakRef<DatabaseSync>>();

/** Opens a file and prepares it. One that cannot be used is let go of, and the error names it. */
function open(path: string | URL, readOnly: boolean, prepare: (db: DatabaseSync) => void): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly });
    prepare(db);
    opened.add(new WeakRef(db));
    return db;
  } catch (cause) {
    db?.close();
    const { message, errcode } = cause as SqliteError;
    const file = path instanceof URL ? fileURLToPath(path) : path;
    const why = isFull(dirname(file)) ? `its disk is full (${message}): make room` : message;
    throw Object.assign(new Error(`Cannot use ${file}: ${why}.`, { cause }), { errcode });
  }
}

/** Whether the disk of a folder has no room for a page. */
function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < 65_536;
  } catch {
    // A folder that is not there has no disk: what SQLite says tells more.
    return false;
  }
}

/** Gives a file that an earlier version made a column that came later; what is in it has the default. */
export function addLater(db: DatabaseSync, table: string, column: string, definition: string): void {
  const columns = db.prepare(`PRAGMA table_info(${table})`).all();
  if (!columns.some(({ name }) => name === column)) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${definition}`);
}
