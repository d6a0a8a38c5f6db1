import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { syncPath } from './database.ts';

/** A file of a backup, as its record says it is. */
export interface RecordedFile {
  readonly name: string;
  readonly bytes: number;
  /** Of the whole file, hexadecimal. */
  readonly sha256: string;
  /** What is in it; see `censusOf`. */
  readonly census: string;
  /** Which content it was made from; see `Snapshot`. */
  readonly origin: string | null;
}

/** `backup.json` of a backup. It is written last: a folder without it, or not `complete`, is no backup. */
export interface BackupRecord {
  /** Of the record itself. */
  readonly format: 1;
  /** Millrace's version that made it. */
  readonly version: string;
  /** The moment it is of, ISO 8601. */
  readonly at: string;
  /** Id of the data folder. */
  readonly folder: string;
  /** Position of the last event; 0 where there is none. */
  readonly lastPosition: number;
  /** What each source had accepted since its first call. */
  readonly sources: readonly { readonly id: string; readonly accepted: number; readonly duplicates: number }[];
  /** How long commits waited, milliseconds. */
  readonly pausedMs: number;
  readonly files: readonly RecordedFile[];
  readonly complete: true;
}

export interface FoundBackup {
  /** Name of its folder. */
  readonly id: string;
  readonly path: string;
  readonly record: BackupRecord;
}

const RECORD = 'backup.json';

/** A name of a folder: the time in ISO 8601, with `-` for the `:` that some file systems don't take. */
export function backupId(at: number): string {
  return new Date(at).toISOString().replaceAll(':', '-');
}

const ID = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Names of files, never of a path that leads elsewhere. */
const FILE = /^[a-z][a-z0-9-]*(\.db)?$/;

/** Where a backup of a data folder is made, until it is complete. One at a time, so what a crash left is overwritten by the next. */
export function partialPath(directory: string, folder: string): string {
  return join(directory, `.partial-${folder}`);
}

/** Whether a folder is a backup, complete or not. */
export function isBackup(path: string): boolean {
  return existsSync(join(path, RECORD));
}

/** @throws Error that says why the folder is no backup that this version can use. */
export function readRecord(path: string): BackupRecord {
  let record: Unchecked<BackupRecord> | null;
  try {
    record = JSON.parse(readFileSync(join(path, RECORD), 'utf8')) as Unchecked<BackupRecord> | null;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const isAbsent = code === 'ENOENT' || code === 'ENOTDIR';
    if (isAbsent) throw new Error(`${path} is no backup: there is no ${RECORD} in it`, { cause });
    throw new Error(`The ${RECORD} of ${path} can't be read: ${(cause as Error).message}`, { cause });
  }
  if (record?.complete !== true) throw new Error(`The backup ${path} is not complete`);
  if (record.format !== 1)
    throw new Error(`The backup ${path} was made by a newer version (${JSON.stringify(record.version)})`);
  if (!isWhole(record)) throw new Error(`The record of ${path} is damaged`);
  return record;
}

type Unchecked<T> = { readonly [K in keyof T]?: unknown };

/** Whether it has all that is made of a record: a restore puts it in place, a list shows it. */
function isWhole(record: Unchecked<BackupRecord>): record is BackupRecord {
  const { version, at, folder, lastPosition, sources, pausedMs, files } = record;
  return (
    [version, folder].every((text) => typeof text === 'string') &&
    typeof at === 'string' &&
    TIME.test(at) &&
    [lastPosition, pausedMs].every(isCount) &&
    Array.isArray(sources) &&
    Array.isArray(files) &&
    files.every(isFile)
  );
}

function isFile(file: unknown): file is RecordedFile {
  const { name, bytes, sha256, census } = Object(file) as Unchecked<RecordedFile>;
  return [name, sha256, census].every((text) => typeof text === 'string') && FILE.test(String(name)) && isCount(bytes);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

/** The complete backups of one data folder in a directory, oldest first. One whose record can't be read, or that has lost
 * a file, is none of them. Records of those that are `known`, by their ids, are not read again: they never change. */
export function backupsIn(
  directory: string,
  folder: string,
  known: ReadonlyMap<string, FoundBackup> = new Map(),
): FoundBackup[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => ID.test(name))
    .sort()
    .flatMap((id) => {
      const path = join(directory, id);
      try {
        const record = known.get(id)?.record ?? readRecord(path);
        return record.folder === folder && hasFiles(path, record) ? [{ id, path, record }] : [];
      } catch {
        // A restore that names it says what is wrong with it.
        return [];
      }
    });
}

function hasFiles(path: string, { files }: BackupRecord): boolean {
  return isBackup(path) && files.every(({ name }) => existsSync(join(path, name)));
}

/** Writes the record into the folder and makes the whole durable. */
export function writeRecord(path: string, record: BackupRecord): void {
  const draft = join(path, `${RECORD}.new`);
  writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  for (const { name } of record.files) syncPath(join(path, name));
  syncPath(draft);
  syncPath(path);
  renameSync(draft, join(path, RECORD));
  syncPath(path);
}
