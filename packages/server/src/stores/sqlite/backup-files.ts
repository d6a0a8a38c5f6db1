import { createHash } from 'node:crypto';
import { copyFileSync, createReadStream, linkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backup } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import type { FoundBackup, RecordedFile } from './backup-record.ts';
import { censusOf, type FileSnapshot } from './backup-snapshot.ts';
import { openImmutable } from './database.ts';
import { folderOf } from './manifest.ts';

/** Pages copied between two reports of progress. */
const PAGES = 500;

/** Copies a snapshot to `path` and checks the copy. SQLite's own backup copies what the snapshot's transaction sees. */
export async function copySnapshot(
  { name, db, bytes, origin }: FileSnapshot,
  to: { readonly path: string; readonly folder: string; readonly done: (bytes: number) => void },
): Promise<RecordedFile> {
  const { path, folder, done } = to;
  const census = censusOf(name, db);
  // Made first, because SQLite keeps the mode of an existing file.
  writeFileSync(path, '', { mode: 0o600, flag: 'wx' });
  const progress = (left: { totalPages: number; remainingPages: number }): void =>
    done(Math.floor(bytes * (1 - left.remainingPages / left.totalPages)));
  await backup(db, path, { rate: PAGES, progress });
  done(bytes);
  checkDatabase(name, path, { folder, census });
  return { name, ...(await hashFile(path)), census, origin };
}

/**
 * Links the same file of the previous backup to `path` if it has the content of the snapshot; else answers null. It reads that
 * whole file, so a file that has changed since its backup is not reused.
 */
export async function reuse(
  { name, db, origin }: FileSnapshot,
  before: FoundBackup | undefined,
  path: string,
): Promise<RecordedFile | null> {
  const known = before?.record.files.find((file) => file.name === name);
  if (!before || !known || origin === null || known.origin !== origin) return null;
  const kept = join(before.path, name);
  const isThere = statSync(kept, { throwIfNoEntry: false })?.isFile() === true;
  if (!isThere || (await hashFile(kept)).sha256 !== known.sha256 || censusOf(name, db) !== known.census) return null;
  linkOrCopy(kept, path);
  return known;
}

/** @throws Error that names the file and what is wrong with it. */
export function checkDatabase(
  name: string,
  path: string,
  expected: { readonly folder: string; readonly census: string },
): void {
  const db = openImmutable(path);
  try {
    const [trouble] = db.prepare('PRAGMA quick_check(1)').all().flatMap(Object.values);
    if (trouble !== 'ok') throw new Error(`${name} is damaged: ${String(trouble)}`);
    if (folderOf(db) !== expected.folder) throw new Error(`${name} belongs to another data folder`);
    const census = censusOf(name, db);
    if (census !== expected.census) throw new Error(`${name} should hold ${expected.census}, and holds ${census}`);
  } finally {
    db.close();
  }
}

/** Size and SHA-256 of a file. */
export async function hashFile(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1_048_576 }), hash);
  return { bytes: statSync(path).size, sha256: hash.digest('hex') };
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The file system has no hard links, or the file has the maximum of links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'].includes(code ?? '')) throw error;
    copyFileSync(from, to);
  }
}
