import type { LogEntry, Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import type { SourceTotals } from './contract.ts';

/** The layout of compressed batches. A process that reads a layout reads those with lower numbers too. */
export const COMPRESSED = 2;

/**
 * What a stream can't answer, kept in a database beside it: the lanes, the messageIds that were seen, where a message is, how
 * many events each source has. A log that is a stream is built on it.
 *
 * One process at a time adds entries, in the order of their shard. So everything up to the last added position is in the index:
 * sums are exact, and a process that continues for a dead one adds nothing twice.
 */
export interface StreamIndex extends StreamOwner {
  /** Adds the next entries of a shard, up to and including `through`; durable when it resolves. Entries that were added before are left out. */
  add(
    shard: number,
    entries: readonly LogEntry[],
    through: Position,
    duplicates: readonly SourceDuplicates[],
  ): Promise<void>;

  /** The position up to which a shard was added; 0 before the first entry. */
  through(shard: number): Promise<Position>;

  /** See EventLog. */
  countAfter(after: Position, through: Position): Promise<number>;

  /** Which of these ids the source has had since a time (milliseconds since the epoch). */
  known(sourceId: string, ids: readonly OwnedId[], since: number): Promise<Known>;

  /** The newest position of a messageId in any of these sources; where an owner is given, the newest of that owner. */
  find(messageId: string, sourceIds: readonly string[], owner?: string): Promise<Position | undefined>;

  /** Events and duplicates of each source, as far as they are added. */
  totals(): Promise<ReadonlyMap<string, SourceTotals>>;

  /**
   * Opens the lane of a pair after a position, or answers the one that is open. Positions of a lane belong to its source's shard,
   * also before the source has an event.
   */
  openLane(sourceId: string, destinationId: string, after: Position): Promise<Lane>;

  /** Stores the last position of a lane. A lane that has ended stays as it is. */
  endLane(id: number, until: Position): Promise<void>;

  removeLane(id: number): Promise<void>;

  /**
   * Records that the stream has lost what it had after a position, up to another. Each event is recorded once, also where several
   * nodes find the loss, and one finds less or more of it: `what` says in words what is recorded. Answers how many events the index
   * has there, `MOST_COUNTED` at most.
   */
  lose(after: Position, through: Position, what: (after: Position, through: Position) => string): Promise<number>;

  lanes(): Promise<readonly Lane[]>;

  /**
   * Those of these positions with which the lane is done: they have a delivery in it (settled, or in the retry queue), or they
   * were added and event retention has dropped them.
   */
  taken(laneId: number, positions: readonly Position[]): Promise<ReadonlySet<Position>>;

  /** A position up to which the lane is done with all events. */
  settledThrough(laneId: number): Promise<Position>;

  /** What is left of batches that were deleted from the stream, by their first positions, as `BatchedStream.reduce` wrote it; of these batches. */
  replaced(batches: readonly Position[]): Promise<ReadonlyMap<Position, Uint8Array>>;

  /** The first position of the first deleted batch, of which something is left, in a range: from ≤ batch < before. */
  nextReplaced(from: Position, before: Position): Promise<Position | undefined>;

  /** The highest layout of batches that every living process reads. */
  layout(): number;

  /** The newest events before a place, and not before another one: at most `most`. A batch has `perBatch` positions. */
  newest(before: TimePlace, most: number, perBatch: number, from?: TimePlace | null): Promise<NewestEvents>;
}

/** A place in the order of time. Events of the same time are in the order of their positions. */
export interface TimePlace {
  readonly receivedAt: number;
  readonly position: Position;
}

export interface NewestEvents {
  /** How many these are, removed ones included. */
  readonly events: number;
  /** The first positions of their batches. */
  readonly batches: readonly Position[];
  /** The place of the oldest of them; null if no older event follows. */
  readonly last: TimePlace | null;
}

/** The cluster that a database, and the streams beside it, belong to. */
export interface StreamOwner {
  /** The cluster's id: random, stored in the database at the first start, and written into the streams' descriptions. */
  cluster(): Promise<string>;

  /** Whether the database was never used: then it knows no stream that has events. */
  isNew(): Promise<boolean>;

  /** Whether another living process reads the shard's stream to fill the index. */
  isFilledElsewhere(shard: number): Promise<boolean>;
}

/** An answer about ids, of one moment. */
export interface Known {
  /** The places, among the ids that were asked for, of those that the source has had. */
  readonly places: ReadonlySet<number>;
  /** By shard: the position up to which it was added. */
  readonly through: ReadonlyMap<number, Position>;
}

/** The values that tell duplicates within a source (contract 8.7). */
export interface OwnedId {
  readonly messageId: string;
  /** See `ownerOf`. */
  readonly owner: string;
}

/**
 * A stream of batches (events that were stored together) which can be read and deleted but not changed, and how events are
 * removed from it. A batch is known by its first position. When events of a batch are removed, the batch is deleted, the index
 * keeps what is left of it, and a lane that had not settled it finds the rest in its retry queue: the lane's reader hands out
 * nothing of the deleted batch.
 */
export interface BatchedStream {
  /**
   * Resolves when the index has everything that was appended before this call.
   *
   * @throws Fault `storage_unavailable` when it lags too far behind.
   */
  caughtUp(): Promise<void>;

  /** The batch to which a position belongs. */
  batchOf(position: Position): BatchRange;

  /** The rest of a batch without these events; null where nothing is left, undefined where the batch is gone. */
  reduce(batch: Position, without: ReadonlySet<Position>): Promise<Uint8Array | null | undefined>;

  /** Events were removed from these batches: from now on this process reads the rest from the index, and hands out nothing of the batches. */
  forget(batches: readonly Position[], positions: ReadonlySet<Position>): void;

  /** Deletes batches and overwrites them; missing ones are left out. */
  deleteBatches(batches: readonly Position[]): Promise<void>;

  /** The position at which each shard begins; earlier events were dropped or deleted. */
  beginnings(): Promise<readonly Position[]>;
}

/** The positions of a batch: its first one, and the last one it could have. */
export interface BatchRange {
  readonly first: Position;
  readonly last: Position;
}

/** Events that were left out because the source had their messageId already. */
export interface SourceDuplicates {
  /** The position of the batch that reports them. */
  readonly position: Position;
  readonly sourceId: string;
  readonly count: number;
}
