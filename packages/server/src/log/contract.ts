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

  /** The reader of a lane. One per lane in a process; a new one starts over at what is not acknowledged. */
  read(id: number): LaneReader;

  /** Entries at these positions, in this order; undefined where retention has dropped one. */
  fetch(positions: readonly Position[]): Promise<readonly (LogEntry | undefined)[]>;

  /**
   * Every event that is appended once this has resolved, by this process or any other, in pages, for people to watch. Best
   * effort: a reader that is slow to take a page misses events and is told how many, and memory stays bounded. Ends when the
   * signal aborts, or when the reader stops.
   */
  follow(signal: AbortSignal): Promise<AsyncIterable<FollowedPage>>;

  /**
   * Entries of every source after a position and at or before another, in order: at least one and at most `limit`, or none where there
   * are none. What retention has dropped is passed over. `scan(0, …)` begins at the oldest; without `through` it ends at the log's end.
   */
  scan(after: Position, limit: number, through?: Position): Promise<EntryPage>;

  /** Resolves when an event may have been appended after this call, by any process. */
  nextAppend(): Promise<void>;

  /** How many events are after a position and at or before another one of its shard, removed ones too; `MOST_COUNTED` at most. */
  countAfter(after: Position, through: Position): Promise<number>;

  /** The newest event with this messageId in any of these sources; where an owner is given (`ownerOf`), of that one. */
  find(messageId: string, sourceIds: readonly string[], owner?: string): Promise<LogEntry | undefined>;

  /**
   * Events that hold a text (core/text-search.ts), newest first. Nothing leads from a text to events but reading them, so each
   * call looks through a bounded piece of the log and says how far it has come. Events that stand in several shards come in
   * the order of time piece by piece. What was removed is not found.
   */
  search(query: TextQuery): Promise<TextPage>;

  /** Events accepted and duplicates left out, per source, since the source's first call. */
  totals(): Promise<ReadonlyMap<string, SourceTotals>>;
}

/** Entries as columns: what crosses between threads costs a page and hardly an entry. */
export interface EntryPage {
  /** Distinct ids of sources; `sourceOf` points into it. */
  readonly sources: readonly string[];
  readonly sourceOf: Uint32Array;
  readonly positions: Float64Array;
  /** Milliseconds since the epoch. */
  readonly receivedAt: Float64Array;
  /** All bodies, one after the other; `ends` says where each ends. */
  readonly bodies: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array;
}

export interface TextQuery {
  readonly text: string;
  /** `next` of the page before; null begins at the newest event. */
  readonly cursor: string | null;
  readonly limit: number;
}

export interface TextPage {
  readonly items: readonly FoundText[];
  /** Null when the whole log was looked through. A page may hold few items, or none, and still have a next one. */
  readonly next: string | null;
  /** How many events this call looked through. */
  readonly events: number;
  /** Everything received after this time was looked through, milliseconds since the epoch; null when this call looked at nothing. */
  readonly reachedAt: number | null;
}

/** Events that were confirmed and are gone: with a file or a stream that was cut, or one of another time that was put in its place. */
export interface Loss {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly foundAt: number;
  /** How many are known of; there may have been more. */
  readonly events: number;
  /** Which they are, in words: `events 101 to 250 of the data folder`. */
  readonly what: string;
  /** When an admin took note of it, milliseconds since the epoch; null while none has. */
  readonly notedAt: number | null;
}

/** What the log has lost, the oldest first. */
export interface Losses {
  list(): Promise<readonly Loss[]>;
  /** An admin has taken note; answers false where there is no such loss. */
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
  /** Events since the page before that are in no page. */
  readonly lost: number;
}

export interface LaneReader {
  /**
   * The next entries, at least one and at most `max`; waits until there is one. An empty answer means that the lane has
   * ended and everything in it was handed out. Rejects with the signal's reason when that aborts.
   */
  pull(max: number, signal: AbortSignal): Promise<readonly LogEntry[]>;

  /** These entries are settled or are in the retry queue: the lane need not hand them out again. */
  ack(positions: readonly Position[]): void;

  /**
   * Hands nothing out from now on: what is not acknowledged is for another reader, here or elsewhere. Absent where only one process reads.
   */
  close?(): void;
}
