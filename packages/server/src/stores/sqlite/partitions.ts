import { basename } from 'node:path';
import type { Ballast } from './ballast.ts';
import type { Ids } from './ids.ts';
import type { LaneRow, Live } from './live.ts';
import { claim } from './manifest.ts';
import { Partition, partitionPath, removePartition, saveTotals, type Totals } from './partition.ts';
import type { PartitionInfo } from './protocol.ts';

export interface PartitionsOptions {
  readonly dataDir: string;
  readonly folderId: string;
  /** How long one partition takes events, milliseconds. */
  readonly partitionLength: number;
  readonly live: Live;
  readonly ballast: Ballast;
  readonly ids: Ids;
  /** By number of source. */
  readonly totals: ReadonlyMap<number, Totals>;
}

/** The partitions of a data folder, oldest first. New events go to the last one. */
export class Partitions {
  readonly #options: PartitionsOptions;
  readonly #all: Partition[];

  constructor(all: Partition[], options: PartitionsOptions) {
    this.#all = all;
    this.#options = options;
  }

  get all(): readonly Partition[] {
    return this.#all;
  }

  get infos(): PartitionInfo[] {
    return this.#all.map(({ path, startedAt, firstSeq }) => ({ path, startedAt, firstSeq }));
  }

  /** The partition that new events go to; undefined before the first. */
  get last(): Partition | undefined {
    return this.#all.at(-1);
  }

  /** The partition whose range contains this seq. */
  of(seq: number): Partition | undefined {
    return this.#all.findLast((partition) => partition.firstSeq <= seq);
  }

  /** Begins a new partition if the last one has reached its length; answers whether it did. */
  roll(now: number, nextSeq: number): boolean {
    const { dataDir, partitionLength, ids } = this.#options;
    const active = this.last;
    // A clock that was far ahead made this partition: without this check it would take the events of a year.
    const isAhead = active !== undefined && active.startedAt > now + partitionLength;
    if (active && !isAhead && now < active.startedAt + partitionLength) return false;
    // The ids in memory belong to the partition that ends. The next one begins with none.
    if (active) ids.seal(active, nextSeq - 1);
    const startedAt = active && !isAhead ? Math.max(now, active.startedAt + 1) : now;
    this.#all.push(this.#begin({ path: partitionPath(dataDir, startedAt, nextSeq), startedAt, firstSeq: nextSeq }));
    // A partition from a clock that was ahead sorts after the new one by its name. Without events it can be removed.
    if (isAhead && active.firstSeq === nextSeq) this.#remove(active, nextSeq - 1);
    return true;
  }

  /** Drops old partitions; answers how many. The last partition also ends, so that its events expire even if no event follows. */
  expire(before: number, now: number, nextSeq: number, takenIn: number): number {
    const known = [...this.#all];
    const dropped = (): number => known.filter((partition) => !this.#all.includes(partition)).length;
    try {
      this.#options.ballast.lend((isLent) => {
        this.#drop(before, now, takenIn);
        const newest = this.last?.lastReceivedAt() ?? now;
        // A new partition uses up the ballast, and only a dropped one makes room for it again.
        const mayRoll = !isLent || newest < before;
        if (mayRoll && nextSeq > (this.last?.firstSeq ?? nextSeq)) this.roll(now, nextSeq);
        this.#drop(before, now, takenIn);
      });
    } catch (error) {
      // On a full disk, the dropped partitions make room once their files are deleted.
      if (dropped() === 0) throw error;
    }
    return dropped();
  }

  /**
   * Drops partitions that are older than `before`, end at or before seq `takenIn`, and that no lane has to read: oldest first and
   * never the last. A partition with messages in a retry queue stays, and does not hold up later ones. The files stay for readers
   * that use them.
   */
  #drop(before: number, now: number, takenIn: number): void {
    const { live } = this.#options;
    let dropped = 0;
    for (const [i, partition] of [...this.#all].entries()) {
      const following = this.#all[i + 1 - dropped];
      if (!following) break;
      const last = partition.lastReceivedAt() ?? before - 1;
      // A time in the future is from a wrong clock. Then the time when the next partition began counts.
      if ((last > now ? following.startedAt : last) >= before) break;
      const lastSeq = following.firstSeq - 1;
      if (lastSeq > takenIn || this.#isUnread(partition, lastSeq)) break;
      if (this.#isQueued(partition)) continue;
      this.#remove(partition, lastSeq);
      dropped++;
    }
    if (dropped > 0) live.manifest.beginAt(this.#all[0]?.firstSeq ?? 0);
  }

  /** Keeps the partition's counts, and notes that its events up to `lastSeq` are gone. */
  #remove(partition: Partition, lastSeq: number): void {
    const { live, ids } = this.#options;
    live.fold(basename(partition.path), partition.counts.byLane, { first: partition.firstSeq, last: lastSeq });
    ids.forget(partition);
    this.#all.splice(this.#all.indexOf(partition), 1);
    partition.close();
  }

  close(): void {
    for (const partition of this.#all) partition.close();
  }

  /** Makes a partition that can take events. If that fails, nothing is left: on a full disk it is tried again and again. */
  #begin(file: PartitionInfo): Partition {
    const { folderId, live, totals } = this.#options;
    let partition: Partition | undefined;
    try {
      partition = Partition.open(file);
      claim(partition.db, folderId, true);
      saveTotals(partition, totals);
      live.manifest.keep(basename(file.path));
      return partition;
    } catch (error) {
      partition?.close();
      removePartition(file.path);
      throw error;
    }
  }

  /** Whether a lane still has to read an event of this partition. `lastSeq` is the partition's last seq. */
  #isUnread(partition: Partition, lastSeq: number): boolean {
    const next = partition.db.prepare(
      `SELECT 1 FROM events e WHERE e.source = ? AND e.seq > ? AND e.seq <= ?
       AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.destination = ? AND d.seq = e.seq) LIMIT 1`,
    );
    return this.#lanes().some(({ source, position, endSeq, destination }) => {
      const end = Math.min(endSeq ?? lastSeq, lastSeq);
      return position < end && next.get(source, position, end, destination) !== undefined;
    });
  }

  /** Whether a message of this partition is in the retry queue of a lane. */
  #isQueued({ counts }: Partition): boolean {
    return this.#lanes().some(({ id }) => (counts.byLane.get(id)?.retrying ?? 0) > 0);
  }

  #lanes(): LaneRow[] {
    return [...this.#options.live.lanes.values()];
  }
}
