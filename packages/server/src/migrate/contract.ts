import type { Event, Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import type { SourceTotals } from '../log/contract.ts';
import type { LaneCountsOf } from '../record/contract.ts';

/**
 * How a data folder is moved to a cluster: `Exporter` reads the folder, `StreamImporter` writes the log, `Importer` writes
 * everything else. None of them knows the others.
 *
 * The move is done in steps. A step writes its data and the progress in one transaction. So a move can be interrupted at any
 * moment and continues from there, and nothing is written twice.
 */

/** A data folder that no service uses, opened read-only. Nothing in it is changed. */
export interface Exporter {
  /** Identifies the folder in its current state. It differs after any service has used the folder. */
  readonly fingerprint: string;
  /** Position of the newest event; 0 if there is none. */
  readonly lastPosition: Position;
  /** Number of events. */
  events(): number;
  /** A page of the events after one position up to another, in order. Removed events are included, without a body. */
  log(after: Position, through: Position): readonly MovedEvent[];
  /** Number of events of a source from one position to another, both included. */
  eventsOf(sourceId: string, from: Position, to: Position): number;
  lanes(): MovedLanes;
  totals(): ReadonlyMap<string, SourceTotals>;
  counters(): MovedCounters;
  /** Approximate number of rows of a part. */
  size(part: Part): number;
  /** A page of rows of a part after a place; null for the first page. */
  page(part: Part, after: Place | null): MovedPage;
  close(): void;
}

/** An event at its position in the folder, with its deliveries. */
export interface MovedEvent extends Event {
  readonly position: Position;
  readonly deliveries: readonly MovedDelivery[];
}

/** A delivery without the event's columns, and the names of its destination and of the replay that last put it into the retry queue. */
export interface MovedDelivery {
  readonly destinationId: string;
  readonly replayId: string | null;
  readonly row: MovedRow;
}

export interface MovedLanes {
  readonly lanes: readonly MovedLane[];
  /** Counts of results, by replay. */
  readonly replays: readonly { readonly id: string; readonly counts: MovedLane['counts'] }[];
  /** The last lane id that was assigned. */
  readonly lastId: number;
}

export interface MovedLane extends Lane {
  /** Number of events that the source had accepted when the lane began, and when it ended. */
  readonly startAccepted: number;
  readonly endAccepted: number | null;
  /** Every event of the lane up to this position has a delivery. */
  readonly settledThrough: Position;
  readonly counts: Pick<LaneCountsOf['counts'], 'processed' | 'failed' | 'filtered' | 'retrying'> & {
    readonly backfilled: number;
  };
}

/** The last numbers assigned in the profiles, and whether the profiles are being rebuilt. */
export interface MovedCounters {
  readonly person: number;
  readonly message: number;
  readonly rebuilding: boolean;
}

/**
 * The parts that are moved after the log, because they contain its new positions; in this order. The values are the names in the
 * progress display.
 */
export const PARTS = {
  sources: 'sources',
  destinations: 'destinations',
  replays: 'replays',
  alerts: 'alerts and incidents',
  accounts: 'accounts',
  invites: 'invites',
  sessions: 'sessions',
  tokens: 'API tokens',
  audit: 'audit entries',
  rejections: 'refused calls',
  regulations: 'deletion requests',
  subjects: 'users of deletion requests',
  suppressions: 'suppressed users',
  stats: 'statistics',
  lastSeen: 'statistics',
  words: 'names of traits and events',
  persons: 'people',
  identities: 'identities',
  unjoined: 'identities',
  seen: 'identities',
  traits: 'traits',
  memberships: 'members of groups',
  groupTraits: 'traits of groups',
  personEvents: 'events of people',
  definitions: 'audiences and traits',
  decisions: 'members of audiences',
  told: 'what was told of people',
  outbox: 'what is to be told of people',
  takenIn: 'people',
  ownSources: 'people',
  sizes: 'sizes of audiences',
  erasures: 'people being deleted',
  erased: 'people being deleted',
} as const;

export type Part = keyof typeof PARTS;

/**
 * A row of a table of the cluster, by its columns. Positions are those of the folder, text and JSON are unchanged. In place of the
 * number of a source or destination it has the name. Columns that only the cluster has are missing.
 */
export type MovedRow = Readonly<Record<string, string | number | null | readonly number[]>>;

/** The end of a page of a part: the key of its last row. */
export type Place = readonly (string | number)[];

export interface MovedPage {
  readonly rows: readonly MovedRow[];
  /** Where the next page begins; null after the last page. */
  readonly next: Place | null;
}

/** The streams of a cluster, while no node uses them. */
export interface StreamImporter {
  shardOf(sourceId: string): number;
  /**
   * The last assigned position of each shard.
   *
   * @throws Error if a shard has events.
   */
  begin(): Promise<readonly Position[]>;
  /**
   * Puts events into the streams, in order. An interrupted step may have put these events before: `ends` are the ends of the
   * streams before that step, and events already there are kept.
   *
   * @throws Error if other events are there.
   */
  put(events: readonly MovedEvent[], ends: readonly Position[]): Promise<Placed>;
  /** Lets the lane continue after a position. */
  beginLane(lane: MovedLane, settledThrough: Position): Promise<void>;
  close(): Promise<void>;
}

export interface Placed {
  /** The new positions, in the order of the events. */
  readonly positions: readonly Position[];
  /** Beginnings of runs. In a run, the events of one source have consecutive positions, in the folder and in the stream. */
  readonly runs: readonly Run[];
  /** The last assigned position of each shard after the events. */
  readonly ends: readonly Position[];
}

export interface Run {
  readonly sourceId: string;
  /** Position of the run's first event in the folder, and in the stream. */
  readonly from: Position;
  readonly position: Position;
}

/** The database of a cluster, while no node uses it. */
export interface Importer {
  /** Id of the cluster that the database is of, which its streams carry. */
  cluster(): Promise<string>;
  /**
   * Begins a move, or continues one that was begun with the same folder. `ends` is called only when a move begins.
   *
   * @throws Error if the database has other data, or nodes use it.
   */
  begin(fingerprint: string, ends: () => Promise<readonly Position[]>): Promise<MoveProgress>;
  /** Adds events at their new positions. With a `mark`, a position of the folder, also notes the current ends of the streams under it. */
  addEvents(events: readonly MovedEvent[], placed: Placed, through: Position, mark: Position | null): Promise<void>;
  /** Adds rows of a part. Their positions are already translated. */
  add(part: Part, page: MovedPage): Promise<void>;
  /** The last run of a source that begins at or before a position of the folder. */
  run(sourceId: string, position: Position): Promise<Run | null>;
  /** The ends of the streams noted under a mark; null if there is no such mark. */
  endsAt(mark: Position): Promise<readonly Position[] | null>;
  /** Adds the lanes and the counts. Idempotent. */
  addLanes(lanes: MovedLanes, totals: ReadonlyMap<string, SourceTotals>, counters: MovedCounters): Promise<void>;
  /** Ends the move. From now on nodes may use the database. */
  finish(adminToken: string | null): Promise<void>;
  close(): Promise<void>;
}

/** The progress of a move. */
export interface MoveProgress {
  readonly finished: boolean;
  /** Events up to this position of the folder are moved. */
  readonly through: Position;
  /** The ends of the streams after those events. */
  readonly ends: readonly Position[];
  /** The begun parts: where the next page begins, null for a complete part. */
  readonly parts: ReadonlyMap<Part, Place | null>;
}
