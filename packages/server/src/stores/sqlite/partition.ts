import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { memo } from '../../core/bounded-map.ts';
import { numberOfState } from '../../core/delivery.ts';
import { ANSWERS_SCHEMA } from './answers.ts';
import { CountsTable } from './counts.ts';
import { addLater, checkSound, named, openDatabase, syncPath, transaction } from './database.ts';
import { FOLDER_SCHEMA } from './manifest.ts';
import { presence } from './presence.ts';
import type { PartitionInfo } from './protocol.ts';
import { rowsOf } from './statements.ts';

/**
 * A partition: a database file with everything about the events of one stretch of time. It contains the events, their
 * deliveries in each lane, the index of their message ids, and the counts. So one commit covers appends and delivery results,
 * and retention deletes a file.
 *
 * - `events`: seq is the position in the log, ascending without gaps over all partitions. A removed event has an empty body.
 *   `age` is `received_at` minus the event's own time: mostly 0, which takes no space. In a removed event, `age` is the mark of
 *   its owner (locating.ts). `anonymous_id` and `previous_id` make the event findable by ids other than its user
 *   (core/carried-ids.ts); earlier versions wrote them only in the body.
 * - `deliveries`: one row per event and destination, once the event has left its lane: settled, or in the retry queue. The
 *   retry queue is the partial index `shelf` (its first name, which is stored) over the rows that are retrying. `replay` is the
 *   number of the last replay that put the message there.
 * - `answers`: the answers of endpoints to the attempts of deliveries; see answers.ts.
 * - `counts`: the deliveries of each lane by state, in this partition. `backfilled` are those from before the lane's start that
 *   a replay took. The results of a replay are counted under its number, negated.
 * - `totals`: accepted events and duplicates per source since its first call, as of the partition's last commit.
 * - `ids`: 64-bit hashes of the message ids, one row per commit, in seq order.
 * - `runs`, `buckets`: the same hashes in sealed runs; see ids.ts.
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

/** How many statements stay prepared. */
const PREPARED = 50;

/** The number of the state `retrying`. The partial index `shelf` contains it as text. */
export const RETRYING: number = numberOfState('retrying');

export interface Totals {
  accepted: number;
  duplicates: number;
}

const FILE_NAME = /^events-(\d{13})-(\d+)\.db$/;

export function partitionPath(dataDir: string, startedAt: number, firstSeq: number): string {
  return join(dataDir, `events-${String(startedAt).padStart(13, '0')}-${firstSeq}.db`);
}

/** The partition that a file's name describes; null if it is no name of a partition. */
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

/** Deletes a partition's file, and SQLite's files beside it. */
export function removePartition(path: string): void {
  // The database goes first. After a crash, a log without its database is never read; a database without its log would be.
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  // A power loss must not bring back the file: its counts have been added to `dropped`.
  syncPath(dirname(path));
}

/** A partition opened for writing, with its counts in memory. */
export class Partition implements PartitionInfo {
  readonly path: string;
  readonly startedAt: number;
  readonly firstSeq: number;
  readonly db: DatabaseSync;
  readonly counts: CountsTable;
  /** Prepares a statement, or returns the one prepared before. */
  readonly prepare: (text: string) => StatementSync;
  #lastAnswers: number;
  /** The files as they were at this process's first append. */
  #presence: (() => string | null) | null = null;

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
    checkSound(db, ['counts', 'totals']);
    this.prepare = memo(PREPARED, (text) => db.prepare(text));
    this.#lastAnswers = Number(db.prepare('SELECT max(id) AS id FROM answers').get()?.['id'] ?? 0);
  }

  /** Opens the file, or makes it. If it can't be used, it is closed: on a full disk an open file would keep its space. */
  static open(file: PartitionInfo): Partition {
    const db = openDatabase(file.path, 'full', PARTITION_SCHEMA);
    try {
      return named(file.path, () => new Partition(file, db));
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** An id for a new row of answers. */
  nextAnswers(): number {
    return ++this.#lastAnswers;
  }

  /** @throws Error if the file was removed or replaced: what is written there would be lost with this process. */
  mustBeThere(): void {
    this.#presence ??= presence([this.path, `${this.path}-wal`]);
    const trouble = this.#presence();
    if (trouble !== null) throw new Error(trouble);
  }

  /**
   * Corrects times in the retry queue that are later than now, because a wrong clock wrote them. Each message stays due after
   * the same delay, counted from now.
   */
  settleClock(now: number): void {
    this.db
      .prepare(
        'UPDATE deliveries SET due_at = ? + max(0, due_at - at), first_at = min(first_at, ?), at = ? WHERE state = 3 AND at > ?',
      )
      .run(now, now, now, now);
  }

  /** The highest seq in use. If there is none, the first seq minus one. */
  lastSeq(): number {
    return lastSeqIn(this.db) ?? this.firstSeq - 1;
  }

  /** When the last event was received; null if there is none. */
  lastReceivedAt(): number | null {
    const newest = 'SELECT received_at AS at FROM events ORDER BY seq DESC LIMIT 1';
    return rowsOf<{ readonly at: number }>(this.db, newest)[0]?.at ?? null;
  }

  /** The highest number of a name and the highest id of a lane that a row uses. */
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

/** The highest seq of a partition; null if it has no events. */
export function lastSeqIn(db: DatabaseSync): number | null {
  return rowsOf<{ readonly seq: number | null }>(db, 'SELECT max(seq) AS seq FROM events')[0]?.seq ?? null;
}

/** The totals in a partition, by number of source. */
export function totalsIn(db: DatabaseSync): Map<number, Totals> {
  const rows = rowsOf<Totals & { readonly source: number }>(db, 'SELECT source, accepted, duplicates FROM totals');
  return new Map(rows.map(({ source, ...totals }) => [source, totals]));
}

/**
 * The totals of each source, from the newest partition that has them. A crash may have left a new partition without totals. It
 * gets them now, because the older partitions will be dropped.
 */
export function loadTotals(partitions: readonly Partition[]): Map<number, Totals> {
  const totals = new Map<number, Totals>();
  for (const { path, db } of partitions) {
    for (const [source, sum] of named(path, () => totalsIn(db))) totals.set(source, sum);
  }
  const last = partitions.at(-1);
  if (last && totalsIn(last.db).size < totals.size) saveTotals(last, totals);
  return totals;
}

export function saveTotals(partition: Partition, totals: ReadonlyMap<number, Totals>): void {
  transaction(partition.db, () => {
    for (const [source, sum] of totals) partition.saveTotals(source, sum);
  });
}
