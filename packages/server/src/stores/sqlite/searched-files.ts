import type { StatementSync } from 'node:sqlite';
import type { RowReading } from '../relational/message-rows.ts';
import type { PartitionInfo } from './protocol.ts';

/** The partitions, as searches read them. */
export interface SearchedFiles extends RowReading {
  /** Oldest first. */
  partitions(): readonly PartitionInfo[];
  statement(partition: PartitionInfo, sql: string): StatementSync;
  /** The first seq of a partition received at a time or later; the last seq plus one if there is none. */
  seqAt(partition: PartitionInfo, time: number): number;
  /** Null for a name that was never used. */
  number(name: string): number | null;
  /** The partition whose range contains this seq. */
  readonly partitionAt: (seq: number) => PartitionInfo | undefined;
  /** Numbers of the destinations that have lanes. */
  destinations(): readonly number[];
}

/** Neighbours in the log can be out of order by this time, milliseconds: requests wait for their commit side by side. */
const DISORDER = 60_000;

/** Seqs of a partition: from `begin` on, before `end`. */
export interface Stretch {
  readonly partition: PartitionInfo;
  readonly begin: number;
  readonly end: number;
}

/** The seqs after one and before another that may have events of these times, in each partition; oldest first. */
export function stretchesOf(
  files: SearchedFiles,
  { after = 0, before = Number.MAX_SAFE_INTEGER }: { readonly after?: number; readonly before?: number },
  { from, to }: { readonly from: number | null; readonly to: number | null },
): Stretch[] {
  return partitionsFrom(files.partitions(), after + 1).flatMap((partition) => {
    if (partition.firstSeq >= before || (to !== null && partition.startedAt >= to + DISORDER)) return [];
    const begin = from === null ? 0 : files.seqAt(partition, from - DISORDER);
    const end = to === null ? before : files.seqAt(partition, to + DISORDER);
    return [{ partition, begin: Math.max(begin, after + 1), end: Math.min(before, end, Number.MAX_SAFE_INTEGER) }];
  });
}

/** The partitions that can contain this seq or later ones, oldest first. */
export function partitionsFrom(partitions: readonly PartitionInfo[], seq: number): readonly PartitionInfo[] {
  const first = partitions.findLastIndex(({ firstSeq }) => firstSeq <= seq);
  return partitions.slice(Math.max(0, first));
}
