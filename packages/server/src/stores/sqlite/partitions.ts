import { basename } from 'node:path';
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
  readonly ids: Ids;
  /** By number of source. */
  readonly totals: ReadonlyMap<number, Totals>;
}

/** The partitions of a data folder, oldest first; the last one takes the events. */
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

  /** The one that takes the events; undefined before the first. */
  get last(): Partition | undefined {
    return this.#all.at(-1);
  }

  /** The one that has an event. */
  of(seq: number): Partition | undefined {
    return this.#all.findLast((partition) => partition.firstSeq <= seq);
  }

  /** Begins a new partition when the active one has had its time; answers whether it did. */
  roll(now: number, nextSeq: number): boolean {
    const { dataDir, partitionLength, ids } = this.#options;
    const active = this.last;
    // One of a clock that was far ahead would take the events of a year.
    const isAhead = active !== undefined && active.startedAt > now + partitionLength;
    if (active && !isAhead && now < active.startedAt + partitionLength) return false;
    // The ids in memory belong to the partition that ends; the next one begins with none.
    if (active) ids.seal(active, nextSeq - 1);
    const startedAt = active && !isAhead ? Math.max(now, active.startedAt + 1) : now;
    this.#all.push(this.#begin({ path: partitionPath(dataDir, startedAt, nextSeq), startedAt, firstSeq: nextSeq }));
    // By its name, one of a clock that was ahead and took no event would follow the new one.
    if (isAhead && active.firstSeq === nextSeq) this.#remove(active, nextSeq - 1);
    return true;
  }

  /** Drops what is too old; what was accepted last grows old too, though nothing follows it. Answers how many. */
  expire(before: number, now: number, nextSeq: number): number {
    const dropped = this.#drop(before, now);
    try {
      if (nextSeq > (this.last?.firstSeq ?? nextSeq)) this.roll(now, nextSeq);
    } catch (error) {
      // On a full disk what was dropped makes room, once its files are gone.
      if (dropped === 0) throw error;
    }
    return dropped + this.#drop(before, now);
  }

  /**
   * Drops those that are older than `before` and that no lane waits for, oldest first and never the last; answers how many. What
   * is in a retry queue holds up no later one. Their files stay, for who is reading them.
   */
  #drop(before: number, now: number): number {
    const { live } = this.#options;
    let dropped = 0;
    for (const [i, partition] of [...this.#all].entries()) {
      const following = this.#all[i + 1 - dropped];
      if (!following) break;
      const last = partition.lastReceivedAt() ?? before - 1;
      // A clock that was ahead wrote a time that has not come: then it counts when the next partition began.
      if ((last > now ? following.startedAt : last) >= before) break;
      const lastSeq = following.firstSeq - 1;
      if (this.#isUnread(partition, lastSeq)) break;
      if (this.#isQueued(partition)) continue;
      this.#remove(partition, lastSeq);
      dropped++;
    }
    if (dropped > 0) live.manifest.beginAt(this.#all[0]?.firstSeq ?? 0);
    return dropped;
  }

  /** What it counted is kept, and that its events, up to `lastSeq`, are gone. */
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

  /** Makes a partition that can take events, or leaves nothing: on a full disk this is tried again and again. */
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

  /** Whether a lane has not read something in this partition; `lastSeq` is its last seq. */
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

  /** Whether something in this partition is in the retry queue of a lane. */
  #isQueued({ counts }: Partition): boolean {
    return this.#lanes().some(({ id }) => (counts.byLane.get(id)?.retrying ?? 0) > 0);
  }

  #lanes(): LaneRow[] {
    return [...this.#options.live.lanes.values()];
  }
}
