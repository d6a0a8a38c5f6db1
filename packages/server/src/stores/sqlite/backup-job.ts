import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { platform, setPriority } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { copySnapshot, hashFile, reuse } from './backup-files.ts';
import { type Hold, heldMs, whileHeld } from './backup-hold.ts';
import {
  type BackupRecord,
  backupsIn,
  type FoundBackup,
  partialPath,
  type RecordedFile,
  writeRecord,
} from './backup-record.ts';
import { type FolderSnapshot, SnapshotFiles } from './backup-snapshot.ts';
import { syncPath } from './database.ts';
import { lastSeqIn, olderFirst, parsePartitionFile, type Totals, totalsIn } from './partition.ts';

export interface BackupJobOptions {
  readonly dataDir: string;
  /** Where backups go, each in a folder of its own. */
  readonly directory: string;
  /** Name of this one's folder. */
  readonly id: string;
  /** How many complete ones are left afterwards; null for all. */
  readonly keep: number | null;
  /** Millrace's version, for the record. */
  readonly version: string;
  /** Null: nothing writes to the folder, because the caller has its lock. */
  readonly hold: Hold | null;
  /** Shared memory for who shows the progress: bytes that are done, and of how many. */
  readonly progress: Float64Array;
  /** Ends it. Absent in a thread of its own, which is ended itself. */
  readonly signal?: AbortSignal;
}

/** Kept beside the databases, where they are there. */
const OTHERS = ['admin-token', 'loopback-allowed'];
/** Copying waits for everything else; Linux alone has priorities of threads. */
const YIELDING = 10;

/**
 * One backup. `prepare` opens the files; `run` takes the snapshot, copies and checks, and answers the record of a complete backup. The snapshot
 * is what `kill -9` at that moment would have left: the one writer of `millrace.db` and of the partitions stands still, and
 * `people.db` is never ahead of a log that stands still.
 */
export class BackupJob {
  readonly #options: BackupJobOptions;
  #files: SnapshotFiles | null = null;

  constructor(options: BackupJobOptions) {
    this.#options = options;
  }

  /** @throws Error when the files can't be opened. */
  prepare(): void {
    this.#files = new SnapshotFiles(this.#options.dataDir);
  }

  /** @throws Error that says why there is no backup, of which nothing is left then; or why older ones than this could not be removed. */
  async run(): Promise<BackupRecord> {
    const record = await this.#make();
    const { directory, id, keep } = this.#options;
    try {
      if (keep !== null) removeOldest(directory, record.folder, keep, id);
    } catch (cause) {
      const why = (cause as Error).message;
      throw new Error(`${id} is complete, but older ones could not be removed: ${why}`, { cause });
    }
    return record;
  }

  async #make(): Promise<BackupRecord> {
    const files = this.#files;
    if (!files) throw new Error('The backup is not prepared');
    const { directory, id, hold } = this.#options;
    const { folder } = files;
    const partial = partialPath(directory, folder);
    try {
      const snapshot = hold ? whileHeld(hold, () => files.take()) : files.take();
      if (hold && platform() === 'linux') setPriority(YIELDING);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      rmSync(partial, { recursive: true, force: true });
      mkdirSync(partial, { mode: 0o700 });
      const record = await this.#fill(partial, folder, snapshot, files);
      renameSync(partial, join(directory, id));
      syncPath(directory);
      return record;
    } catch (cause) {
      rmSync(partial, { recursive: true, force: true });
      throw new Error(reasonOf(cause, directory), { cause });
    }
  }

  close(): void {
    this.#files?.close();
    this.#files = null;
  }

  async #fill(
    partial: string,
    folder: string,
    { at, snapshots }: FolderSnapshot,
    files: SnapshotFiles,
  ): Promise<BackupRecord> {
    const { dataDir, directory, version, hold, progress, signal } = this.#options;
    const before = backupsIn(directory, folder).at(-1);
    const numbers = numbersOf(new Map(snapshots.map(({ name, db }) => [name, db])));
    progress[1] = snapshots.reduce((sum, { bytes }) => sum + bytes, 0);
    const recorded: RecordedFile[] = [];
    let finished = 0;
    for (const snapshot of snapshots) {
      const path = join(partial, snapshot.name);
      const done = (bytes: number): void => {
        progress[0] = finished + bytes;
        if (signal?.aborted) throw new Error('The backup was interrupted, and nothing of it is left');
      };
      const file = (await reuse(snapshot, before, path)) ?? (await copySnapshot(snapshot, { path, folder, done }));
      recorded.push(file);
      files.release(snapshot.name);
      finished += snapshot.bytes;
      done(0);
    }
    for (const name of OTHERS.filter((name) => existsSync(join(dataDir, name)))) {
      const path = join(partial, name);
      writeFileSync(path, readFileSync(join(dataDir, name)), { mode: 0o600 });
      recorded.push({ name, ...(await hashFile(path)), census: '', origin: null });
    }
    const pausedMs = hold ? heldMs(hold) : 0;
    const head = { format: 1, version, at: new Date(at).toISOString(), folder } as const;
    const record: BackupRecord = { ...head, ...numbers, pausedMs, files: recorded, complete: true };
    writeRecord(partial, record);
    return record;
  }
}

/** What the snapshots say of the log's end and of what each source had accepted. */
function numbersOf(files: ReadonlyMap<string, DatabaseSync>): Pick<BackupRecord, 'lastPosition' | 'sources'> {
  const partitions = [...files]
    .flatMap(([name, db]) => {
      const file = parsePartitionFile('', name);
      return file ? [{ ...file, db }] : [];
    })
    .sort(olderFirst);
  let lastPosition = Math.max(0, (partitions.at(-1)?.firstSeq ?? 1) - 1);
  const totals = new Map<number, Totals>();
  for (const { db } of partitions) {
    lastPosition = Math.max(lastPosition, lastSeqIn(db) ?? 0);
    for (const [source, sum] of totalsIn(db)) totals.set(source, sum);
  }
  const name = files.get('millrace.db')?.prepare('SELECT name FROM names WHERE number = ?');
  const sources = [...totals].map(([number, sum]) => ({ id: String(name?.get(number)?.['name'] ?? number), ...sum }));
  return { lastPosition, sources };
}

/** The one just made stays: where the clock was set back, it has the name of an older one. */
function removeOldest(directory: string, folder: string, keep: number, made: string): void {
  // One of a time to come was made by a clock that was ahead: it is no newer than the others.
  const now = new Date().toISOString();
  const isAhead = ({ record }: FoundBackup): number => Number(record.at > now);
  const all = backupsIn(directory, folder).toSorted((a, b) => isAhead(b) - isAhead(a));
  const others = all.filter(({ id }) => id !== made);
  const old = others.slice(0, Math.max(0, others.length - (keep - 1)));
  for (const { path } of old) rmSync(path, { recursive: true, force: true });
  syncPath(directory);
}

const SQLITE_FULL = 13;

function reasonOf(error: unknown, directory: string): string {
  const { code, errcode, message } = error as NodeJS.ErrnoException & { readonly errcode?: number };
  const isFull = code === 'ENOSPC' || code === 'EDQUOT' || (errcode ?? 0) % 256 === SQLITE_FULL;
  return isFull ? `The disk of ${directory} is full (${message})` : message;
}
