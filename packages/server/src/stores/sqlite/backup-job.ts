import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
import { isReadOnly } from './folder-place.ts';
import { lastSeqIn, olderFirst, parsePartitionFile, type Totals, totalsIn } from './partition.ts';

export interface BackupJobOptions {
  readonly dataDir: string;
  /** The directory of all backups. Each has a folder of its own. */
  readonly directory: string;
  /** Name of this backup's folder. */
  readonly id: string;
  /** How many complete backups stay, this one included; null for all. */
  readonly keep: number | null;
  /** Millrace's version, for the record. */
  readonly version: string;
  /** Null if the caller has the folder's lock, so that nothing writes to the folder. */
  readonly hold: Hold | null;
  /** Progress in shared memory: bytes done, and bytes in total. */
  readonly progress: Float64Array;
  /** Ends the backup. Absent on a thread of its own: there the thread is ended. */
  readonly signal?: AbortSignal;
}

/** Files that are copied beside the databases, if they exist. */
const OTHERS = ['admin-token', 'loopback-allowed'];
/** A low priority for the copying thread. Only Linux has priorities of threads. */
const YIELDING = 10;

/**
 * One backup. `prepare` opens the files. `run` takes the snapshot, copies and checks it, and answers the record of the complete
 * backup. The snapshot is what `kill -9` at that moment would leave: the only writer of `millrace.db` and the partitions is
 * blocked, and `people.db` can't be ahead of a log that does not grow.
 */
export class BackupJob {
  readonly #options: BackupJobOptions;
  #files: SnapshotFiles | null = null;

  constructor(options: BackupJobOptions) {
    this.#options = options;
  }

  /** @throws Error if a file can't be opened. */
  prepare(): void {
    this.#files = new SnapshotFiles(this.#options.dataDir);
  }

  /**
   * @throws Error that says why the backup failed; then nothing of it is left. Or why older backups could not be removed; then
   * this one is complete.
   */
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

/** The log's end and the accepted events of each source, as the snapshots have them. */
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

/** Keeps `made`: after a clock was set back, its name sorts before older backups. */
function removeOldest(directory: string, folder: string, keep: number, made: string): void {
  // A backup whose time is in the future was made by a wrong clock. It counts as the oldest.
  const now = new Date().toISOString();
  const isAhead = ({ record }: FoundBackup): number => Number(record.at > now);
  const all = backupsIn(directory, folder).toSorted((a, b) => isAhead(b) - isAhead(a));
  const others = all.filter(({ id }) => id !== made);
  const old = others.slice(0, Math.max(0, others.length - (keep - 1)));
  // A removal may be cut off or fail half-way. What is left then is no backup by its name, and the next removal takes it too.
  const removing = `.removing-${folder}-`;
  for (const { id, path } of old) renameSync(path, join(directory, removing + id));
  for (const name of readdirSync(directory)) {
    if (name.startsWith(removing)) rmSync(join(directory, name), { recursive: true, force: true });
  }
  syncPath(directory);
}

const SQLITE_FULL = 13;

function reasonOf(error: unknown, directory: string): string {
  const { code, errcode, message } = error as NodeJS.ErrnoException & { readonly errcode?: number };
  const isFull = code === 'ENOSPC' || code === 'EDQUOT' || (errcode ?? 0) % 256 === SQLITE_FULL;
  if (isFull) return `The disk of ${directory} is full (${message})`;
  return isReadOnly(directory) ? `The disk of ${directory} is read-only: mount it for writing` : message;
}
