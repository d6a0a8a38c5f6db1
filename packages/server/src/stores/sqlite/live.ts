import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Counts, CountsTable, noCounts } from './counts.ts';
import { checkSound, named, openDatabase, transaction } from './database.ts';
import type { Hash } from './hash.ts';
import { type Gap, Manifest } from './manifest.ts';
import { migrateLive } from './migrations.ts';
import { type Partition, removePartition } from './partition.ts';
import { rowsOf } from './statements.ts';
import { addStatsFunctions } from './stats-functions.ts';

export interface LaneRow {
  readonly id: number;
  readonly source: number;
  readonly destination: number;
  /** The lane's events come after this seq. */
  readonly startSeq: number;
  /** How many events the source had accepted when the lane began. */
  readonly startAccepted: number;
  /** The last seq that can belong to the lane; null while it is open. */
  endSeq: number | null;
  endAccepted: number | null;
  position: number;
}

/** Selects rows of lanes. */
export const LANES = `SELECT id, source, destination, start_seq AS startSeq, start_accepted AS startAccepted, end_seq AS endSeq,
  end_accepted AS endAccepted, position FROM lanes`;

/** A row that is missing here without an error would take events or rules with it, and nothing would say so. */
const CHECKED = [
  ...['names', 'lanes', 'dropped_counts', 'kept_files', 'expired', 'losses'],
  ...['documents', 'accounts', 'tokens', 'regulations', 'suppressions'],
];

/**
 * `millrace.db`: the small things that live as long as the service. They are settings, the names that partitions store as
 * numbers, lanes, replays, statistics, refused calls, and the counts of dropped partitions.
 *
 * The id of a removed lane is never used again: the partitions still count under it.
 *
 * A lane's `position` is written late and without a sync. It only says from where on the deliveries tell which events are
 * settled (see lane-reader.ts). A position that is too low costs time and loses nothing.
 */
export class Live {
  readonly db: DatabaseSync;
  readonly lanes: Map<number, LaneRow> = new Map();
  /** The counts of dropped partitions. */
  readonly dropped: CountsTable;
  readonly manifest: Manifest;
  /** Another connection to the same file. Its commits are not synced. */
  readonly late: DatabaseSync;
  readonly #dataDir: string;
  readonly #names = new Map<string, number>();
  readonly #numbers = new Map<number, string>();

  /** Seed of the hashes of message ids. */
  readonly seed: Readonly<Hash>;

  /** `seed` is used if the store has none yet. */
  constructor(dataDir: string, seed: Hash) {
    this.#dataDir = dataDir;
    const path = livePath(dataDir);
    this.db = openDatabase(path, 'full', migrateLive);
    this.db
      .prepare('INSERT INTO id_seed (only, high, low) VALUES (1, ?, ?) ON CONFLICT DO NOTHING')
      .run(seed.high, seed.low);
    this.seed = rowsOf<Hash>(this.db, 'SELECT high, low FROM id_seed')[0] ?? seed;
    this.late = openDatabase(path, 'normal', '');
    addStatsFunctions(this.late);
    for (const { number, name } of namesIn(this.db)) {
      this.#names.set(name, number);
      this.#numbers.set(number, name);
    }
    for (const lane of rowsOf<LaneRow>(this.db, LANES)) this.lanes.set(lane.id, { ...lane });
    this.dropped = new CountsTable(this.db, 'dropped_counts');
    this.manifest = new Manifest(this.db);
    checkSound(this.db, CHECKED);
  }

  /** The number that stands for a name (the id of a source or destination) in every table. A new name gets a number. */
  number(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    // The statistics also number names (stores/relational/dictionary.ts), so this one may exist already.
    this.db.prepare('INSERT INTO names (name) VALUES (?) ON CONFLICT DO NOTHING').run(name);
    const number = Number(this.db.prepare('SELECT number FROM names WHERE name = ?').get(name)?.['number']);
    this.#names.set(name, number);
    this.#numbers.set(number, name);
    return number;
  }

  /** The number of a name; null if the name was never used. */
  knownNumber(name: string): number | null {
    return this.#names.get(name) ?? null;
  }

  name(number: number): string {
    return this.#numbers.get(number) ?? `unknown-${number}`;
  }

  /** Removes the counts and the numbers of replays. The highest number of all stays, because SQLite would give it again. */
  forgetReplays(ids: readonly string[]): void {
    const highest = Number(this.db.prepare('SELECT max(number) AS number FROM names').get()?.['number']);
    const numbers = ids.flatMap((id) => this.#names.get(id) ?? []).filter((number) => number < highest);
    transaction(this.db, () => {
      const remove = this.db.prepare('DELETE FROM names WHERE number = ?');
      for (const number of numbers) {
        remove.run(number);
        this.dropped.remove(-number);
      }
    });
    for (const number of numbers) {
      this.#names.delete(this.name(number));
      this.#numbers.delete(number);
    }
  }

  addLane(source: number, destination: number, startSeq: number, startAccepted: number): LaneRow {
    const { lastInsertRowid } = this.db
      .prepare('INSERT INTO lanes (source, destination, start_seq, start_accepted, position) VALUES (?, ?, ?, ?, ?)')
      .run(source, destination, startSeq, startAccepted, startSeq);
    const id = Number(lastInsertRowid);
    const lane = {
      id,
      source,
      destination,
      startSeq,
      startAccepted,
      endSeq: null,
      endAccepted: null,
      position: startSeq,
    };
    this.lanes.set(id, lane);
    return lane;
  }

  endLane(lane: LaneRow, endSeq: number, endAccepted: number): void {
    this.db.prepare('UPDATE lanes SET end_seq = ?, end_accepted = ? WHERE id = ?').run(endSeq, endAccepted, lane.id);
    lane.endSeq = endSeq;
    lane.endAccepted = endAccepted;
  }

  removeLane(id: number): void {
    this.db.prepare('DELETE FROM lanes WHERE id = ?').run(id);
    this.lanes.delete(id);
  }

  /** Saves positions without a sync. */
  savePositions(positions: ReadonlyArray<readonly [lane: number, position: number]>): void {
    transaction(this.late, () => {
      const update = this.late.prepare('UPDATE lanes SET position = ? WHERE id = ?');
      for (const [id, position] of positions) {
        const lane = this.lanes.get(id);
        if (!lane) continue;
        update.run(position, id);
        lane.position = position;
      }
    });
  }

  /**
   * Adds the counts of a partition to `dropped`, without those of replays that are gone, and notes that its file must be deleted.
   * All in one transaction.
   */
  fold(file: string, of: ReadonlyMap<number, Counts>, gap: Gap): void {
    const counts = [...of].filter(([lane]) => lane > 0 || this.#numbers.has(-lane));
    transaction(this.db, () => {
      this.db.prepare('INSERT INTO dropped_partitions (file) VALUES (?)').run(file);
      this.manifest.forget(file);
      this.manifest.addGap(gap);
      for (const [lane, change] of counts) this.dropped.save(lane, change);
    });
    for (const [lane, change] of counts) this.dropped.apply(lane, change);
  }

  /**
   * Counts lost messages as failed, resets every lane to its start, so that it searches for what it has left, and marks all
   * losses as settled. All in one transaction.
   */
  settleLost(lost: ReadonlyArray<readonly [lane: LaneRow, messages: number]>): void {
    const changes = lost.map(([{ id }, failed]) => [id, { ...noCounts(), failed }] as const);
    transaction(this.db, () => {
      for (const [lane, change] of changes) this.dropped.save(lane, change);
      // The deliveries may be lost while their events are not.
      this.db.exec('UPDATE lanes SET position = start_seq');
      this.manifest.settleLosses();
    });
    for (const [lane, change] of changes) this.dropped.apply(lane, change);
    for (const [lane] of lost) lane.position = lane.startSeq;
  }

  /**
   * Keeps numbers that these partitions use from being given again. An older `millrace.db` may not know all of them, and then a
   * new source would get old events.
   */
  startAbove(partitions: readonly Partition[]): void {
    const numbers = partitions.map((partition) => named(partition.path, () => partition.highestNumbers()));
    const name = Math.max(0, ...numbers.map((highest) => highest.name));
    const known = this.db.prepare('SELECT max(number) AS highest FROM names').get()?.['highest'];
    if (name > Number(known ?? 0)) {
      const unknown = `unknown-${name}`;
      this.db.prepare('INSERT INTO names (number, name) VALUES (?, ?)').run(name, unknown);
      this.#names.set(unknown, name);
      this.#numbers.set(name, unknown);
    }
    const lane = Math.max(0, ...numbers.map((highest) => highest.lane));
    const given = this.db.prepare('SELECT name, seq FROM sqlite_sequence').all();
    if (lane <= Number(given.find((row) => row['name'] === 'lanes')?.['seq'] ?? 0)) return;
    this.db.exec(`DELETE FROM sqlite_sequence WHERE name = 'lanes'`);
    this.db.prepare(`INSERT INTO sqlite_sequence (name, seq) VALUES ('lanes', ?)`).run(lane);
  }

  /** Deletes the files of dropped partitions, also those that a crash left. */
  removeDropped(): void {
    for (const file of droppedIn(this.db)) {
      removePartition(join(this.#dataDir, file));
      this.db.prepare('DELETE FROM dropped_partitions WHERE file = ?').run(file);
    }
  }

  close(): void {
    this.late.close();
    this.db.close();
  }
}

export function namesIn(db: DatabaseSync): { readonly number: number; readonly name: string }[] {
  return rowsOf(db, 'SELECT number, name FROM names');
}

/** Files of partitions whose counts were added to `dropped`. The files may still exist. */
export function droppedIn(db: DatabaseSync): string[] {
  return rowsOf<{ readonly file: string }>(db, 'SELECT file FROM dropped_partitions').map(({ file }) => file);
}

export function livePath(dataDir: string): string {
  return join(dataDir, 'millrace.db');
}
