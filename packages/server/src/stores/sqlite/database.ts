import { accessSync, closeSync, constants, fsyncSync, openSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Opens a database file for its only writer. `schema` makes the tables. `full` syncs every commit before it returns. `normal`
 * leaves that to the operating system: a power loss can undo the last commits, a crash of the process can't. `pageSize` is for
 * a new file, in bytes.
 *
 * @throws Error that names the file, if it can't be written or is not a database; the error has SQLite's `errcode`.
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
    // A write-ahead log that grew during a burst is truncated at the next checkpoint.
    db.exec('PRAGMA journal_size_limit = 67108864');
    db.exec('PRAGMA cache_size = -16000');
    // Deleted content is overwritten, so that it can't be read from the file.
    db.exec('PRAGMA secure_delete = ON');
    transaction(db, () => (typeof schema === 'string' ? db.exec(schema) : schema(db)));
  });
}

/** Opens a database file that another thread writes. Throws as `openDatabase` does. */
export function openReadOnly(path: string): DatabaseSync {
  return open(path, true, (db) => db.exec('PRAGMA cache_size = -4000'));
}

/** Opens a database file that is no longer written and has no write-ahead log. Throws as `openDatabase` does. */
export function openImmutable(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return open(url, true, (db) => db.exec('PRAGMA schema_version'));
}

/** Makes a file durable, or the names in a folder. */
export function syncPath(path: string): void {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Frees the memory that the open files of this thread do not need. */
export function releaseMemory(): void {
  for (const reference of opened) {
    const db = reference.deref();
    if (db?.isOpen) db.exec('PRAGMA shrink_memory');
    else opened.delete(reference);
  }
}

/** Runs `work` in one transaction. If `work` throws, the transaction is rolled back and the error is thrown on. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite may have rolled back already, for example on a full disk.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Keeps other processes off the folder while the returned database is open. The lock belongs to the operating system, so it
 * ends with the process in any case.
 *
 * @throws FolderInUse if another process has it, Error if the folder can't be written.
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
const SQLITE_CORRUPT = 11;

interface SqliteError extends Error {
  /** SQLite's extended code; its lowest byte is the kind of error. */
  readonly errcode?: number;
}

/** The files that this thread has opened. */
const opened = new Set<WeakRef<DatabaseSync>>();

/** Runs `work` on a file that is open for writing. An error names the file, if it names none yet. */
export function named<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw unusable(path, cause);
  }
}

/** Opens a file and prepares it. If that fails, it is closed, and the error names it. */
function open(path: string | URL, readOnly: boolean, prepare: (db: DatabaseSync) => void): DatabaseSync {
  const file = path instanceof URL ? fileURLToPath(path) : path;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly });
    // SQLite opens a file that may not be written all the same, and fails later.
    if (!readOnly) accessSync(file, READ_AND_WRITE);
    prepare(db);
    opened.add(new WeakRef(db));
    return db;
  } catch (cause) {
    db?.close();
    throw unusable(file, cause, readOnly ? constants.R_OK : READ_AND_WRITE);
  }
}

/**
 * Reads these tables and their indexes whole. SQLite notices a page that makes no sense, but not one that a disk returns in part
 * as zeros: there, rows are missing without an error.
 *
 * @throws Error if one is damaged, with SQLite's `errcode`.
 */
export function checkSound(db: DatabaseSync, tables: readonly string[]): void {
  for (const table of tables) {
    const [trouble] = db.prepare(`PRAGMA quick_check('${table}')`).all().flatMap(Object.values);
    if (trouble !== 'ok')
      throw Object.assign(new Error(`the table ${table} is malformed`), { errcode: SQLITE_CORRUPT });
  }
}

const READ_AND_WRITE = constants.R_OK | constants.W_OK;
/** SQLite's codes for content that can't be right: a constraint that is violated, a malformed page, no database. */
const DAMAGED: ReadonlySet<number> = new Set([19, SQLITE_CORRUPT, 26]);

/** The error that names the file, the cause, and what to do where that is known. */
export function unusable(file: string, cause: unknown, access: number = READ_AND_WRITE): Error {
  const { message, errcode } = cause as SqliteError;
  if (!(cause instanceof Error) || message.startsWith(CANNOT_USE)) return cause as Error;
  return Object.assign(new Error(`${CANNOT_USE}${file}: ${why(file, cause, access)}.`, { cause }), { errcode });
}

const CANNOT_USE = 'Cannot use ';

function why(file: string, { message, errcode }: SqliteError, access: number): string {
  if (DAMAGED.has((errcode ?? 0) % 256)) return `${message}: it is damaged. Restore a backup`;
  if (isFull(dirname(file))) return `its disk is full (${message}): make room`;
  const barrier = barrierTo(file, access);
  if (barrier === 'EROFS') return `its disk is read-only (${message}): mount it for writing`;
  if (barrier !== null) return `this user has no access to it (${message}): run as the user who owns it`;
  return message;
}

/** The code of the error that keeps this user from a file or its folder; null if nothing does. */
function barrierTo(file: string, access: number): string | null {
  try {
    accessSync(dirname(file), access);
    accessSync(file, access);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EROFS' || code === 'EACCES' || code === 'EPERM' ? code : null;
  }
}

/** Whether the disk of a folder has no room for a page. */
function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < 65_536;
  } catch {
    // The folder does not exist. SQLite's own message says more.
    return false;
  }
}

/** Adds a column to a table that an earlier version made. Existing rows get the default. */
export function addLater(db: DatabaseSync, table: string, column: string, definition: string): void {
  const columns = db.prepare(`PRAGMA table_info(${table})`).all();
  if (!columns.some(({ name }) => name === column)) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${definition}`);
}
