import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { memo } from '../../core/bounded-map.ts';
import type { RowReading } from '../relational/message-rows.ts';
import { openReadOnly } from './database.ts';
import { numberOrNull } from './event-rows.ts';
import { livePath } from './live.ts';
import type { PartitionInfo } from './protocol.ts';

export interface ReaderOptions {
  readonly dataDir: string;
  /** Oldest first. */
  readonly partitions: readonly PartitionInfo[];
}

/** How many statements stay prepared for each partition. */
const PREPARED = 200;

/** Neighbours in the log can be out of order by this time, milliseconds: requests wait for their commit side by side. */
const DISORDER = 60_000;

/** Seqs of a partition: from `begin` on, before `end`. */
export interface Stretch {
  readonly partition: PartitionInfo;
  readonly begin: number;
  readonly end: number;
}

interface OpenPartition {
  readonly db: DatabaseSync;
  readonly prepared: (text: string) => StatementSync;
}

/** The files of a data folder, opened for reading. A partition is opened when it is first read. */
export class PartitionFiles implements RowReading {
  readonly live: DatabaseSync;
  /** Oldest first. */
  partitions: readonly PartitionInfo[];
  readonly #open = new Map<string, OpenPartition>();
  readonly #names = new Map<number, string>();

  constructor({ dataDir, partitions }: ReaderOptions) {
    this.partitions = partitions;
    this.live = openReadOnly(livePath(dataDir));
  }

  /** Sets which partitions exist. Closes the files of all others. */
  use(partitions: readonly PartitionInfo[]): void {
    this.partitions = partitions;
    for (const [path, open] of this.#open) {
      if (partitions.some((partition) => partition.path === path)) continue;
      open.db.close();
      this.#open.delete(path);
    }
  }

  statement({ path }: PartitionInfo, sql: string): StatementSync {
    let open = this.#open.get(path);
    if (!open) {
      const db = openReadOnly(path);
      open = { db, prepared: memo(PREPARED, (text) => db.prepare(text)) };
      this.#open.set(path, open);
    }
    return open.prepared(sql);
  }

  /** The partition whose range contains this seq. */
  readonly at = (seq: number): PartitionInfo | undefined => this.partitions.findLast(({ firstSeq }) => firstSeq <= seq);

  /** The partitions that can contain this seq or later ones, oldest first. */
  from(seq: number): readonly PartitionInfo[] {
    const first = this.partitions.findLastIndex(({ firstSeq }) => firstSeq <= seq);
    return this.partitions.slice(Math.max(0, first));
  }

  /** The seqs after one and before another that may have events of these times, in each partition; oldest first. */
  stretches(
    { after = 0, before = Number.MAX_SAFE_INTEGER }: { readonly after?: number; readonly before?: number },
    { from = null, to = null }: { readonly from?: number | null; readonly to?: number | null } = {},
  ): Stretch[] {
    return this.from(after + 1).flatMap((partition) => {
      if (partition.firstSeq >= before || (to !== null && partition.startedAt >= to + DISORDER)) return [];
      const begin = from === null ? 0 : this.#seqAt(partition, from - DISORDER);
      const end = to === null ? before : this.#seqAt(partition, to + DISORDER);
      return [{ partition, begin: Math.max(begin, after + 1), end: Math.min(before, end, Number.MAX_SAFE_INTEGER) }];
    });
  }

  readonly idOf = (number: number): string => {
    const known = this.#names.get(number);
    if (known !== undefined) return known;
    const name = String(this.live.prepare('SELECT name FROM names WHERE number = ?').get(number)?.['name']);
    this.#names.set(number, name);
    return name;
  };

  /** Null for a name that was never used. */
  number(name: string): number | null {
    return numberOrNull(this.live.prepare('SELECT number FROM names WHERE name = ?').get(name)?.['number']);
  }

  fromText(text: string): string {
    return text;
  }

  close(): void {
    for (const { db } of this.#open.values()) db.close();
    this.live.close();
  }

  /** The first seq of a partition received at a time or later, by bisection; the last seq plus one if there is none. */
  #seqAt(partition: PartitionInfo, time: number): number {
    const last = this.statement(partition, 'SELECT max(seq) AS seq FROM events').get();
    const receivedAt = this.statement(partition, 'SELECT received_at FROM events WHERE seq = ?');
    let low = partition.firstSeq;
    let high = Number(last?.['seq'] ?? partition.firstSeq - 1) + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (Number(receivedAt.get(middle)?.['received_at']) >= time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
