import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { VERSION } from './admin/version.ts';
import { BackupJob } from './stores/sqlite/backup-job.ts';
import { type BackupRecord, backupId, isBackup } from './stores/sqlite/backup-record.ts';
import { FolderInUse, lockFolder } from './stores/sqlite/database.ts';
import { checkBackupPlace } from './stores/sqlite/folder-place.ts';
import { livePath } from './stores/sqlite/live.ts';
import { restorable, restoreBackup } from './stores/sqlite/restore.ts';

export interface FolderBackupOptions {
  readonly dataDir: string;
  /** The directory of all backups. Each has a folder of its own. */
  readonly directory: string;
  readonly keep: number | null;
  readonly now: number;
  /** Called from time to time with the bytes done and the bytes in total. */
  readonly progress: (done: number, total: number) => void;
  /** When it aborts, no backup is made. */
  readonly signal: AbortSignal;
}

export interface FolderBackup {
  readonly id: string;
  readonly record: BackupRecord;
}

/** Time between two calls of `progress`, milliseconds. */
const SHOWN_EVERY = 200;

/**
 * Backs up a data folder that no service has open. Answers null if a service has it open.
 *
 * @throws Error that says why no backup was made.
 */
export async function backUpFolder(options: FolderBackupOptions): Promise<FolderBackup | null> {
  const { dataDir, directory, keep, now, signal } = options;
  if (isBackup(dataDir)) throw new Error(`${dataDir} is a backup itself`);
  // Throws if the folder can't be accessed.
  if (!statSync(livePath(dataDir), { throwIfNoEntry: false }))
    throw new Error(`there is no data folder at ${resolve(dataDir)}`);
  checkBackupPlace(directory, dataDir);
  const lock = lockOf(dataDir);
  if (lock === null) return null;
  const progress = new Float64Array(2);
  const shown = setInterval(() => options.progress(progress[0] ?? 0, progress[1] ?? 0), SHOWN_EVERY);
  const id = backupId(now);
  const job = new BackupJob({ dataDir, directory, id, keep, version: VERSION, hold: null, progress, signal });
  try {
    job.prepare();
    return { id, record: await job.run() };
  } finally {
    clearInterval(shown);
    job.close();
    lock.close();
  }
}

/** Whether a backup can be restored, as far as a quick check can tell; see `restorable`. */
export const checkRestore: typeof restorable = restorable;

/** Restores a backup; see `restoreBackup`. */
export const restoreFolder: typeof restoreBackup = restoreBackup;

function lockOf(dataDir: string): ReturnType<typeof lockFolder> | null {
  try {
    return lockFolder(dataDir);
  } catch (error) {
    if (error instanceof FolderInUse) return null;
    throw error;
  }
}
