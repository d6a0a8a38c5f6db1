import type { LogEntry, NewEvent, Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import type { FoundText } from '../core/text-search.ts';

/** So many events with one messageId are compared: what a caller makes of one id must cost others nothing. */
export const MOST_ALIKE = 16;

/** No more events than this are counted. */
export const MOST_COUNTED = 1_000_000;

/**
 * The log: every accepted event, in order, durable; and the lanes that read it, each at its own position.
 *
 * Fits a table and a stream alike. In the embedded store a lane is a row holding a position; in a cluster it is a durable
 * pull consumer that several nodes share, so nothing here promises that one process sees every entry of a lane, or that
 * entries come back in order after a crash: only that each entry of an open lane is handed out until it is acknowledged.
 *
 * `openLane`, `endLane` and `removeLane` take effect in the order in which they are called.
 */
export interface EventLog {
  /**
   * Appends events. Resolves when they are durable (synced to disk, or replicated), never before. An event whose source,
   * owner (`ownerOf`) and messageId were appended within the last 24 hours is left out and its index is in `duplicates` (decisions
   * 8.7). Of events that were removed a mark tells the owner (not of those that an earlier version removed or that were moved from a folder: they are of no owner). Where more than `MOST_ALIKE` owners
   * have sent one messageId, some of its duplicates may be taken.
   *
   * @throws Fault `storage_full`, `storage_unavailable` or `overloaded`; then none of these events will ever be delivered
   *   because of this call. But a log behind a network takes many events in parts, and can't know whether what it heard no
   *   answer to is there: then some may be delivered, and a client that sends them again is told that those are duplicates.
   */
  append(events: readonly NewEvent[]): Promise<AppendResult>;

  /** Opens the lane of a pair at the log's end, or answers the one that is open already. */
  openLane(sourceId: string, destinationId: string): Promise<Lane>;

  /** Lets no later event into the lane. What it holds is still handed out. */
  endLane(id: number): Promise<void>;

  /** Forgets a lane and all that it still held. */
  removeLane(id: number): Promise<void>;

  /** Every lane that was opened and not removed. */
  lanes(): Promise<readonly Lane[]>;

  /** The reader of a lane. A lane has one reader in a process; a new one starts again at the first entry that is not acknowledged. */
  read(id: number): LaneReader;

  /** Entries at these positions, in this order; undefined where retention has dropped one. */
  fetch(positions: readonly Position[]): Promise<readonly (LogEntry | undefined)[]>;

  /**
   * Every event that is appended after this has resolved, by any process, in pages, for people to watch. Best effort: a reader
   * that takes its pages slowly misses events and is told how many, and memory stays bounded. Ends when the signal aborts, or
   * when the reader stops.
   */
  follow(signal: AbortSignal): Promise<AsyncIterable<FollowedPage>>;

  /**
   * Entries of every source after a position and at or before another, in order: at least one and at most `limit`, or none where
   * there are none. Entries that retention has dropped are left out. `scan(0, …)` begins at the oldest; without `through` it ends
   * at the log's end.
   */
  scan(after: Position, limit: number, through?: Position): Promise<EntryPage>;

  /** Resolves when an event may have been appended after this call, by any process. */
  nextAppend(): Promise<void>;

  /** How many events lie after a position and at or before another of its shard, removed ones included; `MOST_COUNTED` at most. */
  countAfter(after: Position, through: Position): Promise<number>;

  /**
   * The newest event with this messageId in any of these sources; where an owner is given (`ownerOf`), the newest of that owner.
   * Removed events are left out.
   *
   * @throws Fault `storage_unavailable` when none is found, and the events that were appended last can't be searched yet.
   */
  find(messageId: string, sourceIds: readonly string[], owner?: string): Promise<LogEntry | undefined>;

  /**
   * Events that hold a text (core/text-search.ts), newest first. No index leads from a text to events, so each call reads a
   * bounded part of the log and says how far it has come. Events of several shards are in the order of time within each part.
   * Removed events are not found.
   */
  search(query: TextQuery): Promise<TextPage>;

  /** Accepted events and left-out duplicates of each source, since its first call. In a cluster the last events may be missing. */
  totals(): Promise<ReadonlyMap<string, SourceTotals>>;
}

/** Entries as columns: a page crosses between threads at a cost that hardly depends on the number of entries. */
export interface EntryPage {
  /** Ids of the sources, each once; `sourceOf` has indexes into this list. */
  readonly sources: readonly string[];
  readonly sourceOf: Uint32Array;
  readonly positions: Float64Array;
  /** Milliseconds since the epoch. */
  readonly receivedAt: Float64Array;
  /** All bodies one after the other; `ends` has the end of each. */
  readonly bodies: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array;
}

export interface TextQuery {
  readonly text: string;
  /** Finds the text only where it is a word of its own; default false. */
  readonly wordsOnly?: boolean | undefined;
  /** `next` of the page before; null begins at the newest event. */
  readonly cursor: string | null;
  readonly limit: number;
}

export interface TextPage {
  readonly items: readonly FoundText[];
  /** Null when the whole log was searched. A page may hold few items, or none, and still have a next one. */
  readonly next: string | null;
  /** How many events this call read. */
  readonly events: number;
  /** Everything received after this time was searched, milliseconds since the epoch; null when this call read nothing. */
  readonly reachedAt: number | null;
}

/** Confirmed events that are gone: their file or stream was truncated, or replaced by an older one. */
export interface Loss {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly foundAt: number;
  /** How many events are known to be gone; there may have been more. */
  readonly events: number;
  /** Which events, in words: `events 101 to 250 of the data folder`. */
  readonly what: string;
  /** When an admin acknowledged the loss, milliseconds since the epoch; null before that. */
  readonly notedAt: number | null;
}

/** The losses of the log, oldest first. */
export interface Losses {
  list(): Promise<readonly Loss[]>;
  /** An admin acknowledges a loss; answers false where there is no such loss. */
  note(id: string, now: number): Promise<boolean>;
}

export interface AppendResult {
  /** Indices into the appended array, ascending. */
  readonly duplicates: readonly number[];
}

export interface SourceTotals {
  readonly accepted: number;
  readonly duplicates: number;
}

export interface FollowedPage {
  /** In the order of the log, source by source. */
  readonly entries: readonly LogEntry[];
  /** How many events since the page before are in no page. */
  readonly lost: number;
}

export interface LaneReader {
  /**
   * The next entries, at least one and at most `max`; waits until there is one. An empty answer means that the lane has ended and
   * has handed out all its entries. Rejects with the signal's reason when that aborts.
   */
  pull(max: number, signal: AbortSignal): Promise<readonly LogEntry[]>;

  /** These entries are settled or in the retry queue: the lane need not hand them out again. */
  ack(positions: readonly Position[]): void;

  /**
   * Hands out nothing from now on: entries that are not acknowledged are for another reader, of this process or another. Absent
   * where only one process reads.
   */
  close?(): void;
}
