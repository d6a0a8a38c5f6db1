import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { syncPath } from './database.ts';

/** A file of a backup, as recorded in `backup.json`. */
export interface RecordedFile {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of the whole file, hexadecimal. */
  readonly sha256: string;
  /** What the file contains; see `censusOf`. */
  readonly census: string;
  /** Which content was copied; see `FileSnapshot`. */
  readonly origin: string | null;
}

/** The `backup.json` of a backup. It is written last. A folder without it, or whose record is not `complete`, is no backup. */
export interface BackupRecord {
  /** Version of this format. */
  readonly format: 1;
  /** The Millrace version that made the backup. */
  readonly version: string;
  /** When the snapshot was taken, ISO 8601. */
  readonly at: string;
  /** Id of the data folder. */
  readonly folder: string;
  /** Position of the last event; 0 if there is none. */
  readonly lastPosition: number;
  /** How many events of each source were accepted since its first call, and how many were duplicates. */
  readonly sources: readonly { readonly id: string; readonly accepted: number; readonly duplicates: number }[];
  /** How long commits waited, milliseconds. */
  readonly pausedMs: number;
  readonly files: readonly RecordedFile[];
  readonly complete: true;
}

export interface FoundBackup {
  /** Name of the backup's folder. */
  readonly id: string;
  readonly path: string;
  readonly record: BackupRecord;
}

const RECORD = 'backup.json';

/** The name of a backup's folder: the time in ISO 8601. `-` replaces `:`, which some file systems do not allow. */
export function backupId(at: number): string {
  return new Date(at).toISOString().replaceAll(':', '-');
}

const ID = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Names of files only. Nothing that could be a path to another folder. */
const FILE = /^[a-z][a-z0-9-]*(\.db)?$/;

/** Where a backup of a data folder is made until it is complete. Only one is made at a time, so the next one overwrites what a crash left. */
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

/** Whether the record has every field that a restore or a list of backups uses. */
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

/**
 * The complete backups of one data folder in a directory, oldest first. Leaves out backups whose record can't be read or that
 * have lost a file. Records never change, so those in `known` (by id) are not read again.
 */
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
        // A restore of this backup reports what is wrong with it.
        return [];
      }
    });
}

function hasFiles(path: string, { files }: BackupRecord): boolean {
  return isBackup(path) && files.every(({ name }) => existsSync(join(path, name)));
}

/** Writes the record into the folder and makes all files of the backup durable. */
export function writeRecord(path: string, record: BackupRecord): void {
  const draft = join(path, `${RECORD}.new`);
  writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  for (const { name } of record.files) syncPath(join(path, name));
  syncPath(draft);
  syncPath(path);
  renameSync(draft, join(path, RECORD));
  syncPath(path);
}
