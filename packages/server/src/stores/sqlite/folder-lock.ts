import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openAlone, SQLITE_BUSY, type SqliteError } from './database.ts';
import { livePath } from './live.ts';
import { hasTables } from './opening.ts';

/**
 * Keeps other processes off the folder while the returned database is open. The lock belongs to the operating system, so it
 * ends with the process in any case.
 *
 * @throws FolderInUse if another process has it, Error if the folder can't be written.
 */
export function lockFolder(dataDir: string): DatabaseSync {
  try {
    const lock = openAlone(lockPath(dataDir));
    if (!isOpenElsewhere(livePath(dataDir))) return lock;
    lock.close();
  } catch (cause) {
    const { message } = cause as Error;
    if (!isBusy(cause)) throw new Error(`The data folder ${dataDir} cannot be used. ${message}`, { cause });
  }
  throw new FolderInUse(`The data folder ${dataDir} is in use by another Millrace process`);
}

export function lockPath(dataDir: string): string {
  return join(dataDir, 'millrace.lock');
}

/** Another process has the folder's lock. */
export class FolderInUse extends Error {}

/** Whether a process has `millrace.db` open. It can be so although the lock is free: its file may have been removed. */
function isOpenElsewhere(live: string): boolean {
  try {
    if (hasTables(live)) openAlone(live).close();
    return false;
  } catch (error) {
    // Any other trouble of the file is told by what opens it next. A damaged folder can be locked, so that a backup replaces it.
    return isBusy(error);
  }
}

function isBusy(error: unknown): boolean {
  return ((error as SqliteError).errcode ?? 0) % 256 === SQLITE_BUSY;
}
