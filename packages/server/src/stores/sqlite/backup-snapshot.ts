import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openReadOnly } from './database.ts';
import { livePath } from './live.ts';
import { folderOf, Manifest } from './manifest.ts';
import { parsePartitionFile } from './partition.ts';

/** A file as it was at the moment of the snapshot: its connection holds a read transaction. */
export interface FileSnapshot {
  /** `events-….db` */
  readonly name: string;
  readonly db: DatabaseSync;
  /** Size of the database, bytes. */
  readonly bytes: number;
  /**
   * Says which content this is: two snapshots that say the same of a file saw the same content. Null where that can't be said,
   * because the file was written a moment before.
   */
  readonly origin: string | null;
}

/** All files of a data folder, as they were at one moment. */
export interface FolderSnapshot {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly snapshots: readonly FileSnapshot[];
}

/** Two writes may have the same time where a file system's clock is coarse: only a file that rested for so long before a snapshot has an origin. */
const REST_MS = 2_000;

/** The connections of one backup. Opened before the snapshot, so that the writer waits for no more than the snapshots. */
export class SnapshotFiles {
  readonly #dataDir: string;
  readonly #connections = new Map<string, DatabaseSync>();

  /** @throws Error when a file can't be opened, or the folder has no list of its files yet. */
  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    try {
      for (const name of this.#names()) this.#open(name);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The folder's id. */
  get folder(): string {
    const id = folderOf(this.#open(LIVE));
    if (id === null) throw new Error(`The data folder ${this.#dataDir} has no id`);
    return id;
  }

  /** Takes a snapshot of every file that the folder must hold. The caller sees to it that nothing is written meanwhile. */
  take(): FolderSnapshot {
    const at = Date.now();
    begin(this.#open(LIVE));
    const snapshots = this.#names().map((name): FileSnapshot => {
      const db = this.#open(name);
      if (name !== LIVE) begin(db);
      const path = join(this.#dataDir, name);
      return { name, db, bytes: sizeOf(db), origin: originOf(path, at) };
    });
    return { at, snapshots };
  }

  /** Lets go of a file. */
  release(name: string): void {
    this.#connections.get(name)?.close();
    this.#connections.delete(name);
  }

  close(): void {
    for (const name of [...this.#connections.keys()]) this.release(name);
  }

  #names(): string[] {
    const live = this.#open(LIVE);
    const tables = live.prepare("SELECT name FROM sqlite_master WHERE name = 'kept_files'").all();
    if (tables.length === 0 || !new Manifest(live).isMade) {
      throw new Error(`The data folder ${this.#dataDir} is of an older version: start the service with it once`);
    }
    return [LIVE, ...new Manifest(live).files()];
  }

  #open(name: string): DatabaseSync {
    const open = this.#connections.get(name) ?? openReadOnly(join(this.#dataDir, name));
    this.#connections.set(name, open);
    return open;
  }
}

const LIVE = basename(livePath(''));

/** What a file holds, in words that its copy must repeat. */
export function censusOf(name: string, db: DatabaseSync): string {
  if (name === LIVE) return new Manifest(db).files().sort().join(' ');
  if (parsePartitionFile('', name) === null) return '';
  const row = db.prepare('SELECT count(*) AS events, max(seq) AS last FROM events').get();
  const deliveries = db.prepare('SELECT count(*) AS rows FROM deliveries').get();
  return `${row?.['events']} events to ${row?.['last'] ?? 'none'}, ${deliveries?.['rows']} deliveries`;
}

/** A read makes the transaction see one moment. */
function begin(db: DatabaseSync): void {
  db.exec('BEGIN');
  db.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get();
}

function sizeOf(db: DatabaseSync): number {
  const of = (pragma: string): number => Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
  return of('page_count') * of('page_size');
}

/**
 * Every change is written to the database or to its write-ahead log, and moves the time of the file. Never by opening it: when a
 * process closes a file, SQLite's locks of that process on it are gone.
 */
function originOf(path: string, at: number): string | null {
  const parts: string[] = [];
  for (const file of [path, `${path}-wal`]) {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined || stat.size === 0n) continue;
    if (Number(stat.mtimeMs) > at - REST_MS) return null;
    parts.push(`${stat.ino}:${stat.size}:${stat.mtimeNs}`);
  }
  return parts.join(' ');
}
