import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { memo } from '../../core/bounded-map.ts';
import { numberOfState } from '../../core/delivery.ts';
import { ANSWERS_SCHEMA } from './answers.ts';
import { CountsTable } from './counts.ts';
import { addLater, openDatabase, syncPath, transaction } from './database.ts';
import { FOLDER_SCHEMA } from './manifest.ts';
import { Presence } from './presence.ts';
import type { PartitionInfo } from './protocol.ts';
import { rowsOf } from './statements.ts';

/**
 * One partition of time: a database file that holds everything about the events accepted in it: the events, what became
 * of them in each lane, the index of their message ids, and the counts. So one commit covers appends and outcomes
 * alike, and retention is the removal of a file.
 *
 * - `events`: seq is the position in the log, ascending without gaps over all partitions. One without a body was removed.
 *   `age` is how long before `received_at` it happened: mostly 0, which takes no room; of one that was removed, whose it was (locating.ts). `anonymous_id` and `previous_id` are what it
 *   is found by beside its user (core/carried-ids.ts); of events of earlier versions they are in the body alone.
 * - `deliveries`: one row per event and destination, once the event has left its lane: settled, or in the retry queue.
 *   The retry queue is the partial index `shelf` (its first name, which is stored) over the rows that are retrying. `replay`
 *   is the number of the replay that put it there last.
 * - `answers`: what endpoints answered to the attempts of deliveries; see answers.ts.
 * - `counts`: how many deliveries each lane has in each state, in this partition. `backfilled` counts those that a
 *   replay took from before the lane's start. What became of a replay's messages is counted under its number, negated.
 * - `totals`: events accepted and duplicates per source since its first call, as of the partition's last commit.
 * - `ids`: 64-bit hashes of the message ids, one row per commit, in seq order.
 * - `runs`, `buckets`: the same hashes, sealed: see ids.ts.
 */
export const PARTITION_SCHEMA: string = `
CREATE TABLE IF NOT EXISTS events (
  seq INTEGER PRIMARY KEY, source INTEGER NOT NULL, received_at INTEGER NOT NULL, age INTEGER NOT NULL DEFAULT 0,
  type INTEGER NOT NULL, message_id TEXT NOT NULL, name TEXT, user_id TEXT, anonymous_id TEXT, previous_id TEXT,
  integrations TEXT, unsent TEXT, body BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS events_by_source ON events (source, seq);
CREATE TABLE IF NOT EXISTS deliveries (
  destination INTEGER NOT NULL, seq INTEGER NOT NULL, lane INTEGER NOT NULL, state INTEGER NOT NULL, reason TEXT,
  attempts TEXT NOT NULL, rounds INTEGER NOT NULL, first_at INTEGER, due_at INTEGER, urls_left TEXT, at INTEGER NOT NULL,
  replay INTEGER, PRIMARY KEY (destination, seq)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS shelf ON deliveries (destination, due_at) WHERE state = 3;
CREATE INDEX IF NOT EXISTS deliveries_not_processed ON deliveries (destination, state, seq) WHERE state <> 0;
CREATE TABLE IF NOT EXISTS totals (source INTEGER PRIMARY KEY, accepted INTEGER NOT NULL, duplicates INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS ids (first_seq INTEGER PRIMARY KEY, hashes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS runs (
  run INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL, newest INTEGER NOT NULL, bucket_bits INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS buckets (
  run INTEGER NOT NULL, bucket INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (run, bucket)) WITHOUT ROWID;
${ANSWERS_SCHEMA}
${FOLDER_SCHEMA}`;

export const INSERT_DELIVERY = `INSERT INTO deliveries
  (destination, seq, lane, state, reason, attempts, rounds, first_at, due_at, urls_left, at, replay)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

const SAVE_TOTALS = 'INSERT OR REPLACE INTO totals (source, accepted, duplicates) VALUES (?, ?, ?)';

/** Statements that are kept prepared. */
const PREPARED = 50;

/** The number of a state, which the partial indexes above name it by. */
export const RETRYING: number = numberOfState('retrying');

export interface Totals {
  accepted: number;
  duplicates: number;
}

const FILE_NAME = /^events-(\d{13})-(\d+)\.db$/;

export function partitionPath(dataDir: string, startedAt: number, firstSeq: number): string {
  return join(dataDir, `events-${String(startedAt).padStart(13, '0')}-${firstSeq}.db`);
}

/** What a file's name says of the partition in it; null where it is none. */
export function parsePartitionFile(dataDir: string, name: string): PartitionInfo | null {
  const match = FILE_NAME.exec(name);
  if (!match) return null;
  return { path: join(dataDir, name), startedAt: Number(match[1]), firstSeq: Number(match[2]) };
}

/** The partitions of a folder, oldest first. */
export function partitionsIn(dataDir: string): PartitionInfo[] {
  const files = readdirSync(dataDir).flatMap((name) => parsePartitionFile(dataDir, name) ?? []);
  return files.sort(olderFirst);
}

export function olderFirst(a: PartitionInfo, b: PartitionInfo): number {
  return a.firstSeq - b.firstSeq || a.startedAt - b.startedAt;
}

/** Removes a partition's file and what SQLite keeps beside it. */
export function removePartition(path: string): void {
  // The database goes first: a log without its database is never read, the other way round it would be replayed.
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  // A power loss must not bring back a file whose counts were taken over for good.
  syncPath(dirname(path));
}

/** A partition opened for writing, with its counts in memory. */
export class Partition implements PartitionInfo {
  readonly path: string;
  readonly startedAt: number;
  readonly firstSeq: number;
  readonly db: DatabaseSync;
  readonly counts: CountsTable;
  /** Keeps what it prepared. */
  readonly prepare: (text: string) => StatementSync;
  #lastAnswers: number;
  /** The files as they were when the first events came in. */
  #presence: Presence | null = null;

  private constructor(file: PartitionInfo, db: DatabaseSync) {
    this.path = file.path;
    this.startedAt = file.startedAt;
    this.firstSeq = file.firstSeq;
    this.db = db;
    addLater(db, 'events', 'age', 'INTEGER NOT NULL DEFAULT 0');
    addLater(db, 'events', 'anonymous_id', 'TEXT');
    addLater(db, 'events', 'previous_id', 'TEXT');
    addLater(db, 'deliveries', 'replay', 'INTEGER');
    this.counts = new CountsTable(db, 'counts');
    this.prepare = memo(PREPARED, (text) => db.prepare(text));
    this.#lastAnswers = Number(db.prepare('SELECT max(id) AS id FROM answers').get()?.['id'] ?? 0);
  }

  /** Opens the file, or makes it. One that can't be used is closed: on a full disk its room would stay taken while it is open. */
  static open(file: PartitionInfo): Partition {
    const db = openDatabase(file.path, 'full', PARTITION_SCHEMA);
    try {
      return new Partition(file, db);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** An id for a new row of answers. */
  nextAnswers(): number {
    return ++this.#lastAnswers;
  }

  /** @throws Error when its file was removed or replaced: what is written there would be gone with this process. */
  mustBeThere(): void {
    this.#presence ??= new Presence([this.path, `${this.path}-wal`]);
    const trouble = this.#presence.trouble();
    if (trouble !== null) throw new Error(trouble);
  }

  /** What was written by a clock that was ahead is due as long after now as it was after that. */
  settleClock(now: number): void {
    this.db
      .prepare(
        'UPDATE deliveries SET due_at = ? + max(0, due_at - at), first_at = min(first_at, ?), at = ? WHERE state = 3 AND at > ?',
      )
      .run(now, now, now, now);
  }

  /** The highest seq in use, or the one before the first where there is none. */
  lastSeq(): number {
    return lastSeqIn(this.db) ?? this.firstSeq - 1;
  }

  /** When the last event in it was received; null where there is none. */
  lastReceivedAt(): number | null {
    const newest = 'SELECT received_at AS at FROM events ORDER BY seq DESC LIMIT 1';
    return rowsOf<{ readonly at: number }>(this.db, newest)[0]?.at ?? null;
  }

  /** The highest number of a name and the highest lane that something in it stands under. */
  highestNumbers(): { readonly name: number; readonly lane: number } {
    const highest = (sql: string): number => Number(this.db.prepare(sql).get()?.['highest'] ?? 0);
    const name = Math.max(
      highest('SELECT max(source) AS highest FROM totals'),
      highest('SELECT max(source) AS highest FROM events'),
      highest('SELECT max(destination) AS highest FROM deliveries'),
      highest('SELECT -min(lane) AS highest FROM counts'),
    );
    return { name, lane: highest('SELECT max(lane) AS highest FROM counts') };
  }

  saveTotals(source: number, totals: Totals): void {
    this.prepare(SAVE_TOTALS).run(source, totals.accepted, totals.duplicates);
  }

  close(): void {
    this.db.close();
  }
}

/** The highest seq of a partition; null where it has no event. */
export function lastSeqIn(db: DatabaseSync): number | null {
  return rowsOf<{ readonly seq: number | null }>(db, 'SELECT max(seq) AS seq FROM events')[0]?.seq ?? null;
}

/** The totals that a partition has, by source. */
export function totalsIn(db: DatabaseSync): Map<number, Totals> {
  const rows = rowsOf<Totals & { readonly source: number }>(db, 'SELECT source, accepted, duplicates FROM totals');
  return new Map(rows.map(({ source, ...totals }) => [source, totals]));
}

/**
 * Each source's totals, from the newest partition that has them: a crash may have left one that was made and not begun.
 * That one is given them, since the older ones will be dropped.
 */
export function loadTotals(partitions: readonly Partition[]): Map<number, Totals> {
  const totals = new Map<number, Totals>();
  for (const partition of partitions) for (const [source, sum] of totalsIn(partition.db)) totals.set(source, sum);
  const last = partitions.at(-1);
  if (last && totalsIn(last.db).size < totals.size) saveTotals(last, totals);
  return totals;
}

export function saveTotals(partition: Partition, totals: ReadonlyMap<number, Totals>): void {
  transaction(partition.db, () => {
    for (const [source, sum] of totals) partition.saveTotals(source, sum);
  });
}
