import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkDatabase, hashFile } from './backup-files.ts';
import { type BackupRecord, backupId, readRecord } from './backup-record.ts';
import { lockFolder, openImmutable, openReadOnly, syncPath } from './database.ts';
import { folderAt, isWithin } from './folder-place.ts';
import { livePath } from './live.ts';
import { folderOf, Manifest } from './manifest.ts';
import { partitionsIn } from './partition.ts';

export interface RestoreOptions {
  /** Folder of one backup. */
  readonly backup: string;
  /** Where the data folder will be. */
  readonly dataDir: string;
  /** Put a data folder that is there aside; else it is refused. */
  readonly replace: boolean;
  readonly now: number;
  /** Is told how much of the whole is done, from 0 to 1. */
  readonly progress: (share: number, text: string) => void;
  /** Once it aborts, nothing more is copied and nothing is put in place. */
  readonly signal: AbortSignal;
}

export interface Restored {
  readonly record: BackupRecord;
  /** Where the folder is that was there before; null where there was none. */
  readonly aside: string | null;
  /** What that folder has and the backup does not; a text says why that is unknown; null without such a folder. */
  readonly later: Later | string | null;
}

export interface Later {
  readonly events: number;
  /** When they were received, milliseconds since the epoch; null where there are none. */
  readonly from: number | null;
  readonly to: number | null;
}

/** What a disk has when it is new, or an interrupted restore has left; and the lock, which says nothing of what is kept. */
const NOT_COUNTED: ReadonlySet<string> = new Set([
  'lost+found',
  '.restoring',
  'millrace.lock',
  'millrace.lock-journal',
]);

/**
 * Copies a backup to where a data folder will be, and checks each copy. Only when all of them are right they are put in place, and a
 * folder that was there is renamed aside.
 *
 * @throws Error that says why nothing was changed.
 */
export async function restoreBackup({
  backup,
  dataDir,
  replace,
  now,
  progress,
  signal,
}: RestoreOptions): Promise<Restored> {
  restorable({ backup, dataDir, replace });
  const target = folderAt(dataDir);
  // Where nothing is, what a service begins meanwhile is not replaced: a folder is renamed to an empty one only.
  const lock = existsSync(target) ? lockFolder(target) : null;
  // Of an empty folder that is there the files are moved in: it may be a disk of its own, which can't be renamed.
  const isEmpty = isEmptyFolder(target);
  const isInside = lock !== null && isEmpty;
  const draft = isInside ? join(target, '.restoring') : `${target}.restoring`;
  let aside: string | null = null;
  try {
    // Once more: before the lock, a service may have begun there and ended.
    const record = restorable({ backup, dataDir, replace });
    mkdirSync(dirname(target), { recursive: true });
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
    await copyChecked(backup, draft, record, { progress, signal });
    const later = isEmpty ? null : laterThan(target, record);
    aside = isEmpty ? null : `${target}.before-${backupId(now)}`;
    if (aside !== null) renameSync(target, aside);
    if (isInside) moveIn(draft, target, record);
    else renameSync(draft, target);
    syncPath(dirname(target));
    return { record, aside, later };
  } catch (error) {
    if (aside !== null && existsSync(aside) && !existsSync(target)) renameSync(aside, target);
    rmSync(draft, { recursive: true, force: true });
    throw error;
  } finally {
    lock?.close();
  }
}

/**
 * The record of a backup that can be restored there, as far as that is known without reading its files.
 *
 * @throws Error that says why it can't.
 */
export function restorable({
  backup,
  dataDir,
  replace,
}: Pick<RestoreOptions, 'backup' | 'dataDir' | 'replace'>): BackupRecord {
  const record = readRecord(backup);
  const [source, target] = [folderAt(backup), folderAt(dataDir)];
  if (isWithin(source, target) || isWithin(target, source)) {
    throw new Error(`${source} and ${target} overlap: the backup would not stay as it is. Move it elsewhere first`);
  }
  if (isEmptyFolder(target) || replace) return record;
  throw new Error(`${target} is not empty. Name another folder, or say --replace: it is then renamed, never deleted`);
}

function isEmptyFolder(path: string): boolean {
  return !existsSync(path) || readdirSync(path).every((name) => NOT_COUNTED.has(name));
}

async function copyChecked(
  backup: string,
  draft: string,
  { files, folder }: BackupRecord,
  { progress, signal }: Pick<RestoreOptions, 'progress' | 'signal'>,
): Promise<void> {
  const goOn = (): void => {
    if (signal.aborted) throw new Error('it was interrupted');
  };
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const { name, bytes, sha256, census } of files) {
    progress(done / total, name);
    goOn();
    if (!existsSync(join(backup, name))) throw new Error(`${name} is missing in the backup ${backup}`);
    const path = join(draft, name);
    await copyFile(join(backup, name), path);
    goOn();
    chmodSync(path, 0o600);
    const found = await hashFile(path);
    if (found.bytes !== bytes || found.sha256 !== sha256) {
      throw new Error(
        `${name} of the backup ${backup} is damaged: it is not the file that was checked when it was made`,
      );
    }
    if (name.endsWith('.db')) checkDatabase(name, path, { folder, census });
    syncPath(path);
    done += bytes;
  }
  const live = openImmutable(livePath(draft));
  try {
    const missing = new Manifest(live).files().find((name) => !existsSync(join(draft, name)));
    if (missing !== undefined) throw new Error(`${missing} is missing in the backup ${backup}`);
  } finally {
    live.close();
  }
  goOn();
  syncPath(draft);
}

/** `millrace.db` last: a start refuses a folder that has other files and not this one. */
function moveIn(draft: string, target: string, { files }: BackupRecord): void {
  const isLive = (name: string): boolean => join(target, name) === livePath(target);
  for (const { name } of files.toSorted((a, b) => Number(isLive(a.name)) - Number(isLive(b.name)))) {
    renameSync(join(draft, name), join(target, name));
  }
  syncPath(target);
  rmSync(draft, { recursive: true });
}

/** Events of a folder that come after those of a backup. The folder may be damaged: that is why a backup is restored. */
function laterThan(dataDir: string, { folder, lastPosition }: BackupRecord): Later | string {
  try {
    const live = openReadOnly(livePath(dataDir));
    const own = folderOf(live);
    live.close();
    if (own !== folder) return 'it is another data folder';
    const sum = { events: 0, from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
    for (const { path } of partitionsIn(dataDir)) {
      const db = openReadOnly(path);
      const row = db
        .prepare(
          'SELECT count(*) AS events, min(received_at) AS first, max(received_at) AS last FROM events WHERE seq > ?',
        )
        .get(lastPosition);
      db.close();
      if (Number(row?.['events']) === 0) continue;
      sum.events += Number(row?.['events']);
      sum.from = Math.min(sum.from, Number(row?.['first']));
      sum.to = Math.max(sum.to, Number(row?.['last']));
    }
    return sum.events === 0 ? { events: 0, from: null, to: null } : sum;
  } catch (error) {
    return (error as Error).message;
  }
}
