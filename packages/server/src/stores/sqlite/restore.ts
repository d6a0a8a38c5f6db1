import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { checkDatabase, hashFile } from './backup-files.ts';
import { type BackupRecord, backupId, readRecord } from './backup-record.ts';
import { lockFolder, openImmutable, openReadOnly, syncPath } from './database.ts';
import { folderAt, isWithin } from './folder-place.ts';
import { livePath } from './live.ts';
import { folderOf, Manifest } from './manifest.ts';
import { partitionsIn } from './partition.ts';

export interface RestoreOptions {
  /** The folder of one backup. */
  readonly backup: string;
  /** The data folder to make. */
  readonly dataDir: string;
  /** Whether an existing data folder is renamed; if not, the restore is refused. */
  readonly replace: boolean;
  readonly now: number;
  /** Called with the share that is done, from 0 to 1. */
  readonly progress: (share: number, text: string) => void;
  /** Aborting it ends the copying; then nothing is put in place. */
  readonly signal: AbortSignal;
}

export interface Restored {
  readonly record: BackupRecord;
  /** The new path of the data folder that existed before; null if there was none. */
  readonly aside: string | null;
  /** The events that the old folder has and the backup does not. A text says why that is unknown. Null if there was no folder. */
  readonly later: Later | string | null;
}

export interface Later {
  readonly events: number;
  /** When the events were received, milliseconds since the epoch; null if there are none. */
  readonly from: number | null;
  readonly to: number | null;
}

const draftIn = (target: string): string => join(target, '.restoring');
const draftBeside = (target: string): string => `${target}.restoring`;

/** Files that do not make a folder count as used: those of a new disk or an interrupted restore, the lock and the ballast. */
const NOT_COUNTED: ReadonlySet<string> = new Set([
  'lost+found',
  '.restoring',
  'millrace.lock',
  'millrace.lock-journal',
  'millrace.ballast',
]);

/** The databases of a data folder, which may have lost some. */
const DATABASE = /^(millrace|people|events-.+)\.db/;

/**
 * Copies a backup to where the data folder will be, and checks each copy. Puts the copies in place only if all are right. A
 * folder that exists there is renamed.
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
  // If the folder does not exist, it can't be locked. A service that makes it meanwhile is safe: a folder is renamed only onto an empty one.
  const lock = existsSync(target) ? lockFolder(target) : null;
  // If the folder exists and is empty, the files are moved into it: it may be the root of a disk, which can't be renamed.
  const isEmpty = isEmptyFolder(target);
  const isInside = lock !== null && isEmpty;
  const draft = isInside ? draftIn(target) : draftBeside(target);
  let aside: string | null = null;
  try {
    // Checked again under the lock: a service may have run there before it was taken.
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
 * The record of a backup that can be restored to this folder, as far as that is known without reading its files.
 *
 * @throws Error that says why it can't be restored.
 */
export function restorable({
  backup,
  dataDir,
  replace,
}: Pick<RestoreOptions, 'backup' | 'dataDir' | 'replace'>): BackupRecord {
  const record = readRecord(backup);
  const link = lstatSync(resolve(dataDir), { throwIfNoEntry: false });
  if (link?.isSymbolicLink() === true && !existsSync(dataDir)) {
    throw new Error(
      `${dataDir} is a link to ${readlinkSync(resolve(dataDir))}, which is not there: make that folder, or remove the link`,
    );
  }
  const [source, target] = [folderAt(backup), folderAt(dataDir)];
  if (isWithin(source, target) || isWithin(target, source)) {
    throw new Error(`${source} and ${target} overlap: the backup would not stay as it is. Move it elsewhere first`);
  }
  if (isEmptyFolder(target)) return record;
  if (replace && isMountPoint(target)) {
    throw new Error(
      `${target} is a mount point, which can't be renamed: move what is in it elsewhere, and restore without --replace`,
    );
  }
  if (replace && !readdirSync(target).some((name) => DATABASE.test(name))) {
    throw new Error(`${target} has other files and none of Millrace, so it is not renamed. Name the data folder`);
  }
  if (replace) return record;
  throw new Error(`${target} is not empty. Name another folder, or say --replace: it is then renamed, never deleted`);
}

/**
 * @throws Error if a restore to this folder was killed before its end, or runs: a service would start there with nothing, and
 * refuse every write key.
 */
export function checkRestored(dataDir: string): void {
  const target = folderAt(dataDir);
  const draft = [draftIn(target), draftBeside(target)].find((path) => existsSync(path));
  if (draft === undefined || existsSync(livePath(target))) return;
  throw new Error(
    `A restore to ${target} did not come to its end. Run it again; or remove ${draft}, to start without what it restores`,
  );
}

function isEmptyFolder(path: string): boolean {
  return !existsSync(path) || readdirSync(path).every((name) => NOT_COUNTED.has(name));
}

/** Whether a disk is mounted here. Only Linux says. */
function isMountPoint(path: string): boolean {
  if (!existsSync(MOUNTS)) return false;
  const mounted = readFileSync(MOUNTS, 'utf8').split('\n');
  return mounted.some((line) => line.split(' ')[4] === path.replaceAll(' ', '\\040'));
}

const MOUNTS = '/proc/self/mountinfo';

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

/** Moves the files into the folder, `millrace.db` last: without it, a start refuses a folder that has other files. */
function moveIn(draft: string, target: string, { files }: BackupRecord): void {
  const isLive = (name: string): boolean => join(target, name) === livePath(target);
  for (const { name } of files.toSorted((a, b) => Number(isLive(a.name)) - Number(isLive(b.name)))) {
    renameSync(join(draft, name), join(target, name));
  }
  syncPath(target);
  rmSync(draft, { recursive: true });
}

/** The events of a folder that are not in a backup. The folder may be damaged: then the answer says so. */
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
