import type { DeliveryState } from '../core/delivery.ts';
import type { Event, Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import type { SourceTotals } from '../log/contract.ts';
import type { ProfileErasure } from '../people/contract.ts';
import type { LaneCountsOf, LastTimes, Replay, StatsSums } from '../record/contract.ts';
import type { Regulation, Subject, Suppression } from '../regulations/contract.ts';

/**
 * The way of everything that is kept from a data folder to a cluster. A folder is read by `Exporter`, the log is written by
 * `StreamImporter`, the rest by `Importer`; none of them knows the others.
 *
 * What is moved is moved in steps. A step writes what it moves and how far that came in one transaction, so a move that was
 * cut off at any moment goes on from there, and nothing is there twice.
 */

/** A data folder that no service uses, read only. Nothing in it is changed. */
export interface Exporter {
  /** Says which folder this is, and in which state: another one after any service has used it. */
  readonly fingerprint: string;
  /** Position of the newest event; 0 where there is none. */
  readonly lastPosition: Position;
  /** How many events there are. */
  events(): number;
  /** A page of the events after a position up to another, in order, those that were removed too: they have no body. */
  log(after: Position, through: Position): readonly MovedEvent[];
  /** How many events a source has from a position to another, both included. */
  eventsOf(sourceId: string, from: Position, to: Position): number;
  lanes(): MovedLanes;
  totals(): ReadonlyMap<string, SourceTotals>;
  counters(): MovedCounters;
  /** About how many rows a part has. */
  size(part: Part): number;
  /** Rows of a part after a place; null for its beginning. */
  page<P extends Part>(part: P, after: Place | null): MovedPage<P>;
  close(): void;
}

/** An event at its position in the folder, with what became of it. */
export interface MovedEvent extends Event {
  readonly position: Position;
  readonly deliveries: readonly MovedDelivery[];
}

export interface MovedDelivery {
  readonly destinationId: string;
  readonly laneId: number;
  readonly state: DeliveryState;
  readonly reason: string | null;
  /** Lines of JSON, one for each attempt. */
  readonly attempts: string;
  readonly rounds: number;
  readonly firstAt: number | null;
  readonly dueAt: number | null;
  /** JSON. */
  readonly urlsLeft: string | null;
  readonly at: number;
  /** The replay that put it into the retry queue last. */
  readonly replay: string | null;
}

export interface MovedLanes {
  readonly lanes: readonly MovedLane[];
  /** What became of the messages of replays. */
  readonly replays: readonly { readonly id: string; readonly counts: MovedLane['counts'] }[];
  /** Ids up to this one were given. */
  readonly lastId: number;
}

export interface MovedLane extends Lane {
  /** What the source had accepted when the lane began, and when it ended. */
  readonly startAccepted: number;
  readonly endAccepted: number | null;
  /** Every event of it up to this position has a delivery. */
  readonly settledThrough: Position;
  readonly counts: Pick<LaneCountsOf['counts'], 'processed' | 'failed' | 'filtered' | 'retrying'> & {
    readonly backfilled: number;
  };
}

/** The last numbers that were given in the profiles, and whether a rebuild of them is under way. */
export interface MovedCounters {
  readonly person: number;
  readonly message: number;
  readonly rebuilding: boolean;
}

/** What is moved after the log, whose new positions it names: part by part, in this order. What is shown of progress calls them so. */
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

/** Rows of a part. Positions are those of the folder, JSON is as it was written. */
export interface MovedRows extends OwnRows, Readonly<Record<SamePart, SameRow>> {}

export type SamePart = Exclude<Part, keyof OwnRows>;

/** Rows of the parts that are not kept alike on both sides. */
interface OwnRows {
  readonly replays: Replay;
  readonly regulations: Regulation;
  readonly subjects: { readonly regulationId: string; readonly subject: Subject };
  readonly suppressions: Suppression;
  readonly stats: StatsSums & { readonly subject: string; readonly step: number };
  readonly lastSeen: LastTimes & { readonly subject: string };
  /** Names of traits, groups and definitions (`word`), or of events under their type. */
  readonly words: { readonly number: number; readonly space: string; readonly text: string };
  readonly decisions: {
    readonly person: number;
    readonly dues: ReadonlyMap<number, number>;
    readonly held: ReadonlyMap<number, string>;
    /** When what is held was decided first; 0 where that is not known. */
    readonly since: ReadonlyMap<number, number>;
  };
  readonly told: { readonly userId: string; readonly values: ReadonlyMap<number, string> };
  readonly takenIn: { readonly sourceId: string; readonly position: Position };
  readonly erasures: ProfileErasure;
}

/** A row whose columns are the same on both sides; text is as it was given. */
export type SameRow = Readonly<Record<string, string | number | null>>;

/** Where a page of a part ends: the key of its last row. */
export type Place = readonly (string | number)[];

export interface MovedPage<P extends Part> {
  readonly rows: readonly MovedRows[P][];
  /** Where the next one begins; null when this was the last. */
  readonly next: Place | null;
}

/** The streams of a cluster that no node uses. */
export interface StreamImporter {
  shardOf(sourceId: string): number;
  /**
   * The last position that each shard has given.
   *
   * @throws Error when one has events.
   */
  begin(): Promise<readonly Position[]>;
  /**
   * Puts events into the streams, in order. `ends` are where the streams ended when these were given before, if they were: what
   * of them is there already is left as it is.
   *
   * @throws Error when something else is there.
   */
  put(events: readonly MovedEvent[], ends: readonly Position[]): Promise<Placed>;
  /** Has the lane read on after a position. */
  beginLane(lane: MovedLane, settledThrough: Position): Promise<void>;
  close(): Promise<void>;
}

export interface Placed {
  /** New positions of the events, in their order. */
  readonly positions: readonly Position[];
  /** Runs of a source's events that lie side by side in the folder and in the stream: where each begins. */
  readonly runs: readonly Run[];
  /** The last position that each shard has given since. */
  readonly ends: readonly Position[];
}

export interface Run {
  readonly sourceId: string;
  /** Its first event in the folder, and in the stream. */
  readonly from: Position;
  readonly position: Position;
}

/** The database of a cluster that no node uses. */
export interface Importer {
  /** Id of the cluster that the database is of, which its streams carry. */
  cluster(): Promise<string>;
  /**
   * Begins a move, or goes on with one that was begun with the same folder. `ends` is asked at the beginning only.
   *
   * @throws Error when the database has something else, or nodes use it.
   */
  begin(fingerprint: string, ends: () => Promise<readonly Position[]>): Promise<MoveProgress>;
  /** Adds events at their new positions. `mark`: notes under this position of the folder where the streams end now. */
  addEvents(events: readonly MovedEvent[], placed: Placed, through: Position, mark: Position | null): Promise<void>;
  /** Adds rows of a part, whose positions are new ones. */
  add<P extends Part>(part: P, page: MovedPage<P>): Promise<void>;
  /** The last run of a source that begins at or before a position of the folder. */
  run(sourceId: string, position: Position): Promise<Run | null>;
  /** Where the streams ended at a mark; null where there was none. */
  endsAt(mark: Position): Promise<readonly Position[] | null>;
  /** Adds the lanes and what was counted. Idempotent. */
  addLanes(lanes: MovedLanes, totals: ReadonlyMap<string, SourceTotals>, counters: MovedCounters): Promise<void>;
  /** From now on nodes may use it. */
  finish(adminToken: string | null): Promise<void>;
  close(): Promise<void>;
}

/** How far a move has come. */
export interface MoveProgress {
  readonly finished: boolean;
  /** Events up to this position of the folder are there. */
  readonly through: Position;
  /** Where the streams ended then. */
  readonly ends: readonly Position[];
  /** Parts that were begun: where the next page begins, null for those that are complete. */
  readonly parts: ReadonlyMap<Part, Place | null>;
}
