import { existsSync, rmSync } from 'node:fs';
import type { Backup, Backups } from '../../backup/contract.ts';
import { Fault } from '../../core/fault.ts';
import { Thread, workerFile } from '../../threads/thread.ts';
import { giveUp, newHold } from './backup-hold.ts';
import type { BackupJob, BackupJobOptions } from './backup-job.ts';
import { type BackupRecord, backupId, backupsIn, type FoundBackup, partialPath } from './backup-record.ts';
import type { Writer } from './writer.ts';

export interface BackupsOptions {
  readonly dataDir: string;
  /** Id of the data folder. */
  readonly folder: string;
  /** Absolute path; null if no backups are made. */
  readonly directory: string | null;
  readonly version: string;
  readonly writer: Thread<Writer>;
  /** Called with the result of each backup. */
  readonly onEnd: (backup: Backup) => void;
}

interface Running {
  readonly id: string;
  readonly begunAt: number;
  readonly thread: Thread<BackupJob>;
  readonly progress: Float64Array;
  readonly ended: Promise<void>;
}

const WORKER = workerFile(import.meta.url, './sqlite-worker');

/** Backups of a folder that is in use. Each runs on a thread of its own, started for it. */
export class SqliteBackups implements Backups {
  readonly directory: string | null;
  trouble: string | null = null;
  failure: string | null = null;
  readonly #options: BackupsOptions;
  #known: ReadonlyMap<string, FoundBackup> = new Map();
  #running: Running | null = null;
  #failed: Backup | null = null;
  #stopped = false;

  constructor(options: BackupsOptions) {
    this.#options = options;
    this.directory = options.directory;
  }

  async list(): Promise<readonly Backup[]> {
    // A running backup has its final name for a moment before its thread ends. Do not list it twice.
    const found = this.#find().filter(({ id }) => id !== this.#running?.id);
    // If the last backup failed and is complete, then only the removal of older backups failed.
    const failed = this.#failed;
    const isComplete = found.some(({ id }) => id === failed?.id);
    const complete = found.map((backup) =>
      backup.id === failed?.id ? { ...viewOf(backup), reason: failed.reason } : viewOf(backup),
    );
    const running = this.#running ? [viewOfRunning(this.#running)] : [];
    return [...complete, ...(failed && !isComplete ? [failed] : []), ...running].reverse();
  }

  async begin(keep: number | null): Promise<Backup> {
    const { dataDir, directory, version, onEnd } = this.#options;
    if (directory === null) throw new Fault('conflict', 'There is no directory for backups. Set MILLRACE_BACKUP_DIR.');
    if (this.#stopped) throw new Fault('conflict', 'The service is stopping.');
    if (this.#running) throw new Fault('conflict', 'A backup is under way. Wait for its end.');
    const begunAt = Date.now();
    const id = backupId(begunAt);
    const hold = newHold();
    const progress = new Float64Array(new SharedArrayBuffer(16));
    const job: BackupJobOptions = { dataDir, directory, id, keep, version, hold, progress };
    const thread = new Thread<BackupJob>('backup', () => job, WORKER);
    const ended = this.#make(thread, hold).then(
      (record) => {
        this.#running = null;
        this.#failed = null;
        this.failure = null;
        onEnd(viewOf({ id, record }));
      },
      async (error: Error) => {
        this.#running = null;
        if (this.#stopped) return;
        const at = { id, at: begunAt, bytes: progress[1] ?? 0, bytesDone: progress[0] ?? 0 };
        const failed = { ...at, state: 'failed', lastPosition: null, pausedMs: null, reason: error.message } as const;
        this.#failed = failed;
        const ended = (await this.list()).find((backup) => backup.id === id) ?? failed;
        this.failure = ended.state === 'failed' ? `the last backup failed: ${error.message}` : error.message;
        onEnd(ended);
      },
    );
    this.#running = { id, begunAt, thread, progress, ended };
    return viewOfRunning(this.#running);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (!this.#running) return;
    const { thread, ended } = this.#running;
    await thread.kill();
    await ended;
    const { directory, folder } = this.#options;
    const partial = partialPath(directory ?? '', folder);
    if (existsSync(partial)) rmSync(partial, { recursive: true, force: true });
  }

  #find(): readonly FoundBackup[] {
    const { directory, folder } = this.#options;
    if (directory === null) return [];
    try {
      const all = backupsIn(directory, folder, this.#known);
      this.#known = new Map(all.map((backup) => [backup.id, backup]));
      this.trouble = null;
      return all;
    } catch (error) {
      this.trouble = (error as Error).message;
      return [];
    }
  }

  async #make(thread: Thread<BackupJob>, hold: ReturnType<typeof newHold>): Promise<BackupRecord> {
    try {
      await thread.remote.prepare();
      const made = thread.remote.run();
      // If the writer is gone, it holds nothing. End the hold, so that the backup does not wait for it.
      this.#options.writer.remote.standStill(hold).catch(() => giveUp(hold));
      return await made;
    } finally {
      // Always: the writer must not wait for a thread that has ended.
      giveUp(hold);
      await thread.end();
    }
  }
}

function viewOf({ id, record }: Pick<FoundBackup, 'id' | 'record'>): Backup {
  const bytes = record.files.reduce((sum, file) => sum + file.bytes, 0);
  const { lastPosition, pausedMs } = record;
  const at = Date.parse(record.at);
  return { id, state: 'complete', at, bytes, bytesDone: bytes, lastPosition, pausedMs, reason: null };
}

function viewOfRunning({ id, begunAt, progress }: Running): Backup {
  const [bytesDone = 0, bytes = 0] = progress;
  const unknown = { lastPosition: null, pausedMs: null, reason: null };
  return { id, state: 'running', at: begunAt, bytes, bytesDone, ...unknown };
}
