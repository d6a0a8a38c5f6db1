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
  /** Where backups go, each in a folder of its own. */
  readonly directory: string;
  readonly keep: number | null;
  readonly now: number;
  /** Is shown from time to time how far it is: bytes of bytes. */
  readonly progress: (done: number, total: number) => void;
  /** Once it aborts, there will be no backup. */
  readonly signal: AbortSignal;
}

export interface FolderBackup {
  readonly id: string;
  readonly record: BackupRecord;
}

/** How often progress is shown, milliseconds. */
const SHOWN_EVERY = 200;

/**
 * Backs up a data folder that no service has open; answers null where one has.
 *
 * @throws Error that says why there is no backup.
 */
export async function backUpFolder(options: FolderBackupOptions): Promise<FolderBackup | null> {
  const { dataDir, directory, keep, now, signal } = options;
  if (isBackup(dataDir)) throw new Error(`${dataDir} is a backup itself`);
  // Throws where it may not be looked at.
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

/** Whether a backup can be put in place, as far as that is known at once; see `restorable`. */
export const checkRestore: typeof restorable = restorable;

/** Puts a backup in place; see `restoreBackup`. */
export const restoreFolder: typeof restoreBackup = restoreBackup;

function lockOf(dataDir: string): ReturnType<typeof lockFolder> | null {
  try {
    return lockFolder(dataDir);
  } catch (error) {
    if (error instanceof FolderInUse) return null;
    throw error;
  }
}
