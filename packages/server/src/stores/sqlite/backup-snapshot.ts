import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openReadOnly } from './database.ts';
import { livePath } from './live.ts';
import { folderOf, Manifest } from './manifest.ts';
import { parsePartitionFile } from './partition.ts';

/** A file at the moment of the snapshot. Its connection holds a read transaction. */
export interface FileSnapshot {
  /** `events-….db` */
  readonly name: string;
  readonly db: DatabaseSync;
  /** Size of the database, bytes. */
  readonly bytes: number;
  /**
   * Identifies the content: two snapshots of a file with the same origin saw the same content. Null if the file was written a
   * moment before, because then its times can't tell.
   */
  readonly origin: string | null;
}

/** All files of a data folder at one moment. */
export interface FolderSnapshot {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly snapshots: readonly FileSnapshot[];
}

/**
 * Only a file that was not written for this long before a snapshot has an origin: with a file system's coarse clock, two writes
 * may have the same time.
 */
const REST_MS = 2_000;

/** The connections of one backup. They are opened before the snapshot, so that the writer waits only for the snapshot itself. */
export class SnapshotFiles {
  readonly #dataDir: string;
  readonly #connections = new Map<string, DatabaseSync>();

  /** @throws Error if a file can't be opened, or the folder has no list of its files yet. */
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

  /** Takes a snapshot of every file in the folder's list. The caller must keep the writer blocked meanwhile. */
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

  /** Closes the connection to a file. */
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

/** Describes what a file contains. Its copy must have the same description. */
export function censusOf(name: string, db: DatabaseSync): string {
  if (name === LIVE) return new Manifest(db).files().sort().join(' ');
  if (parsePartitionFile('', name) === null) return '';
  const row = db.prepare('SELECT count(*) AS events, max(seq) AS last FROM events').get();
  const deliveries = db.prepare('SELECT count(*) AS rows FROM deliveries').get();
  return `${row?.['events']} events to ${row?.['last'] ?? 'none'}, ${deliveries?.['rows']} deliveries`;
}

/** Begins a transaction and reads once: from the first read on, the transaction sees one moment. */
function begin(db: DatabaseSync): void {
  db.exec('BEGIN');
  db.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get();
}

function sizeOf(db: DatabaseSync): number {
  const of = (pragma: string): number => Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
  return of('page_count') * of('page_size');
}

/**
 * The inode, size and time of the file and of its write-ahead log: every change is written to one of them. The files are not
 * opened: closing a file would drop this process's SQLite locks on it.
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
