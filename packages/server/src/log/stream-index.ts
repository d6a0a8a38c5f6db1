import type { LogEntry, Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import type { SourceTotals } from './contract.ts';

/**
 * What can't be asked of a stream, kept in a database beside it: which lanes there are, which messageIds were seen, where
 * a message is, how many events each source has. A log that is a stream is built on it.
 *
 * Entries are added by one process at a time and in the order of their shard, so all that was added up to a position is
 * all that there is up to that position: sums are exact, and a process that goes on for one that died adds nothing twice.
 */
export interface StreamIndex {
  /** Adds the next entries of a shard, up to and with `through`; durable when it resolves. What was added before is left out. */
  add(
    shard: number,
    entries: readonly LogEntry[],
    through: Position,
    duplicates: readonly SourceDuplicates[],
  ): Promise<void>;

  /** The position through which a shard was added; 0 before the first. */
  through(shard: number): Promise<Position>;

  /** See EventLog. */
  countAfter(after: Position, through: Position): Promise<number>;

  /** The places of those of these ids that the source has had since a time (milliseconds since the epoch). */
  known(sourceId: string, ids: readonly OwnedId[], since: number): Promise<ReadonlySet<number>>;

  /** The newest position of a messageId in any of these sources; where an owner is given, of that one. */
  find(messageId: string, sourceIds: readonly string[], owner?: string): Promise<Position | undefined>;

  /** Events and duplicates of each source, as far as they were added. */
  totals(): Promise<ReadonlyMap<string, SourceTotals>>;

  /**
   * Opens the lane of a pair after a position, or answers the one that is open. Positions of a lane are of its source's
   * shard, also where that has no event yet.
   */
  openLane(sourceId: string, destinationId: string, after: Position): Promise<Lane>;

  /** Notes the last position of a lane. One that has ended stays as it is. */
  endLane(id: number, until: Position): Promise<void>;

  removeLane(id: number): Promise<void>;

  /**
   * Writes down that what its shard's stream had after a position, up to another, is gone. Once, however many nodes find it, and
   * though the later ones find less of it.
   * Answers how many events the index knows there, `MOST_COUNTED` at most.
   */
  lose(after: Position, through: Position, what: string): Promise<number>;

  lanes(): Promise<readonly Lane[]>;

  /**
   * Those of these positions that the lane has done with: they have a delivery in it, so they were settled or are in the
   * retry queue, or they were added and event retention has dropped them.
   */
  taken(laneId: number, positions: readonly Position[]): Promise<ReadonlySet<Position>>;

  /** A position up to which the lane has done with all events. */
  settledThrough(laneId: number): Promise<Position>;

  /** What is left of those of these batches that were deleted from the stream, by their first positions, as `BatchedStream.reduce` wrote it. */
  replaced(batches: readonly Position[]): Promise<ReadonlyMap<Position, Uint8Array>>;

  /** The first position of the first such batch that begins in a stretch of positions: from ≤ batch < before. */
  nextReplaced(from: Position, before: Position): Promise<Position | undefined>;
  /** That of the last such batch. */
  lastReplaced(from: Position, before: Position): Promise<Position | undefined>;
}

/** What tells duplicates within a source (contract 8.7). */
export interface OwnedId {
  readonly messageId: string;
  /** See `ownerOf`. */
  readonly owner: string;
}

/**
 * A stream of batches, events that were stored together, which can be read and deleted but not changed: what a removal of events
 * does to it. A batch goes by its first position. What is left of it is kept by the index, and a lane that had not settled
 * it finds that in its retry queue: its reader hands out nothing of a batch that was forgotten.
 */
export interface BatchedStream {
  /**
   * Resolves when the index has everything that was appended before this call.
   *
   * @throws Fault `storage_unavailable` when it lags too far behind.
   */
  caughtUp(): Promise<void>;

  /** The batch that a position belongs to. */
  batchOf(position: Position): BatchRange;

  /** What is left of a batch without these events; null where that is nothing, undefined where the batch is gone. */
  reduce(batch: Position, without: ReadonlySet<Position>): Promise<Uint8Array | null | undefined>;

  /**
   * Events were removed from batches: from now on this process reads what is left of these from the index, and hands out nothing
   * of them.
   */
  forget(batches: readonly Position[], positions: ReadonlySet<Position>): void;

  /** Deletes batches and overwrites them; those that are gone are left out. */
  deleteBatches(batches: readonly Position[]): Promise<void>;

  /** Where each shard begins: what comes before was dropped, or deleted. */
  beginnings(): Promise<readonly Position[]>;
}

/** Positions of a batch: the first it has, and the last it could have. */
export interface BatchRange {
  readonly first: Position;
  readonly last: Position;
}

/** Events that were left out because the source had their messageId already. */
export interface SourceDuplicates {
  /** That of the batch which tells of them. */
  readonly position: Position;
  readonly sourceId: string;
  readonly count: number;
}
