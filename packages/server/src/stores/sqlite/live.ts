import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Counts, CountsTable, noCounts } from './counts.ts';
import { openDatabase, transaction } from './database.ts';
import type { Hash } from './hash.ts';
import { type Gap, Manifest } from './manifest.ts';
import { migrateLive } from './migrations.ts';
import type { Partition } from './partition.ts';
import { rowsOf } from './statements.ts';
import { addStatsFunctions } from './stats-functions.ts';

export interface LaneRow {
  readonly id: number;
  readonly source: number;
  readonly destination: number;
  /** The lane's events come after this seq. */
  readonly startSeq: number;
  /** What the source had accepted when the lane began. */
  readonly startAccepted: number;
  /** The last seq that can be the lane's; null while it is open. */
  endSeq: number | null;
  endAccepted: number | null;
  position: number;
}

/** Selects rows of lanes. */
export const LANES = `SELECT id, source, destination, start_seq AS startSeq, start_accepted AS startAccepted, end_seq AS endSeq,
  end_accepted AS endAccepted, position FROM lanes`;

/**
 * `millrace.db`: the small things that live as long as the service: settings, the names that partitions store as numbers,
 * lanes, replays, statistics, refused calls, and the counts of partitions that retention has dropped.
 *
 * A lane's id is never given again: the partitions still count under the ids of lanes that were removed.
 *
 * A lane's `position` is written late and without a sync: it only says from where on the partition's deliveries must be
 * asked which events are settled already (see lane-reader.ts), and one that is too low costs time, not truth.
 */
export class Live {
  readonly db: DatabaseSync;
  readonly lanes: Map<number, LaneRow> = new Map();
  /** What the partitions that were dropped had counted. */
  readonly dropped: CountsTable;
  readonly manifest: Manifest;
  /** The same file; what is written here is not waited for. */
  readonly late: DatabaseSync;
  readonly #names = new Map<string, number>();
  readonly #numbers = new Map<number, string>();

  /** Seed of the hashes of message ids. */
  readonly seed: Readonly<Hash>;

  /** `seed` is taken by a store that has none yet. */
  constructor(dataDir: string, seed: Hash) {
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
  }

  /** The number that stands for a name (an id of a source or destination) in every table; made at first use. */
  number(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    // The statistics number names too (stores/relational/dictionary.ts).
    this.db.prepare('INSERT INTO names (name) VALUES (?) ON CONFLICT DO NOTHING').run(name);
    const number = Number(this.db.prepare('SELECT number FROM names WHERE name = ?').get(name)?.['number']);
    this.#names.set(name, number);
    this.#numbers.set(number, name);
    return number;
  }

  /** The number of a name that was used before, else null. */
  knownNumber(name: string): number | null {
    return this.#names.get(name) ?? null;
  }

  name(number: number): string {
    return this.#numbers.get(number) ?? `unknown-${number}`;
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

  /** Takes over the counts of a partition and notes that its file must go: both or neither. */
  fold(file: string, counts: ReadonlyMap<number, Counts>, gap: Gap): void {
    transaction(this.db, () => {
      this.db.prepare('INSERT INTO dropped_partitions (file) VALUES (?)').run(file);
      this.manifest.forget(file);
      this.manifest.addGap(gap);
      for (const [lane, change] of counts) this.dropped.save(lane, change);
    });
    for (const [lane, change] of counts) this.dropped.apply(lane, change);
  }

  /**
   * Counts messages that are gone as failed, has every lane look again at what it has left, and notes that this was done for all
   * losses: all of it or nothing.
   */
  settleLost(lost: ReadonlyArray<readonly [lane: LaneRow, messages: number]>): void {
    const changes = lost.map(([{ id }, failed]) => [id, { ...noCounts(), failed }] as const);
    transaction(this.db, () => {
      for (const [lane, change] of changes) this.dropped.save(lane, change);
      // What became of events may be gone where the events are not.
      this.db.exec('UPDATE lanes SET position = start_seq');
      this.manifest.settleLosses();
    });
    for (const [lane, change] of changes) this.dropped.apply(lane, change);
    for (const [lane] of lost) lane.position = lane.startSeq;
  }

  /**
   * Gives no number again that these partitions count or keep events under: an older `millrace.db` does not know of all of them,
   * and a new source would be given old events.
   */
  startAbove(partitions: readonly Partition[]): void {
    const numbers = partitions.map((partition) => partition.highestNumbers());
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

  partitionRemoved(file: string): void {
    this.db.prepare('DELETE FROM dropped_partitions WHERE file = ?').run(file);
  }

  close(): void {
    this.late.close();
    this.db.close();
  }
}

export function namesIn(db: DatabaseSync): { readonly number: number; readonly name: string }[] {
  return rowsOf(db, 'SELECT number, name FROM names');
}

/** Partitions whose counts are folded in and whose files may still be there. */
export function droppedIn(db: DatabaseSync): string[] {
  return rowsOf<{ readonly file: string }>(db, 'SELECT file FROM dropped_partitions').map(({ file }) => file);
}

export function livePath(dataDir: string): string {
  return join(dataDir, 'millrace.db');
}
