import type { Attempt, Claimed, DeliveryResult, DeliveryState, Retry } from '../core/delivery.ts';
import type { EventType, Position } from '../core/event.ts';
import type { LaneCounts } from '../core/lane.ts';
import type { Offsets } from '../core/position.ts';
import type { RejectionGroup } from '../core/rejection.ts';
import type { Tallies } from '../core/tally.ts';

/** What became of every event in every lane: results with their attempts, the retry queue, the counts. */
export interface DeliveryStore {
  /**
   * Records what became of events; durable when it resolves. Idempotent: an event whose end in its lane is recorded already (the
   * lane handed it out twice) keeps one row and is counted once.
   */
  settle(batch: readonly DeliveryResult[]): Promise<void>;

  /**
   * Takes due messages of the destination's retry queue, longest due first. They belong to this process until it settles or
   * releases them, or dies.
   */
  claimDue(destinationId: string, now: number, max: number): Promise<Claim>;

  /** Gives claimed messages back; their due times stay. */
  release(claimed: readonly Claimed[]): void;

  /**
   * Makes messages of the destination's retry queue due at `now` that are due later; answers how many. `of`: these positions, or
   * at most this many of the messages that were put there by then (or in the second after it: clocks of nodes differ). Claimed
   * messages stay as they are.
   */
  hasten(destinationId: string, now: number, of: number | readonly Position[]): Promise<number>;

  /** Exact counts of every lane of these destinations, ended lanes too, all of one moment. */
  counts(destinationIds: readonly string[]): Promise<readonly LaneCountsOf[]>;

  /** For each of these destinations that has an event without an end: when the oldest such event was received, milliseconds since the epoch. */
  oldestWaiting(destinationIds: readonly string[]): Promise<ReadonlyMap<string, number>>;

  /** Deliveries, newest event first; of a deleted destination as in `deliveriesOf`. */
  list(query: DeliveryQuery): Promise<DeliveryPage>;

  /**
   * Accepted events, newest first, also events that no destination took. The records hold the searchable fields beside each
   * position, because a log that is a stream can be read in its order but not searched.
   */
  events(query: EventQuery): Promise<EventPage>;

  /** All deliveries of one event. To a deleted destination too: a delivery that was still tried ended with the destination. */
  deliveriesOf(position: Position): Promise<readonly Delivery[]>;

  /** The state of each of these events at each destination whose lane has reached it; for deleted destinations as in `deliveriesOf`. */
  statesOf(positions: readonly Position[]): Promise<readonly DeliveryStateOf[]>;

  /**
   * Puts deliveries into the retry queue again, with a new retry window, due at the given times (contract 12, replays). A
   * delivery that is retrying already, or still waits in its lane, stays as it is. The later results of the others are the
   * replay's. They go to all URLs of the destination, or to those of `urlsLeft` (`Retry.urlsLeft`).
   */
  requeue(
    destinationId: string,
    items: readonly RequeueItem[],
    replayId: string,
    urlsLeft?: readonly string[] | null,
  ): Promise<Requeued>;

  /** Exact counts of what became of the messages of these replays. A replay that put no message into the retry queue has no entry. */
  replayResults(replayIds: readonly string[]): Promise<ReadonlyMap<string, ReplayResult>>;

  /** A page of the messages that a replay would take, in the order of acceptance, after a position. */
  candidates(query: ReplayQuery): Promise<CandidatePage>;

  /**
   * Saves a replay; its `done` and `after` never decrease. A replay that is over keeps its status and all its fields, even while
   * a process still works on it: of a save with another status only `done` and `after` are taken, and the answer is false.
   */
  saveReplay(replay: Replay): Promise<boolean>;
  /** All replays, the running ones, or the one with an id. Retention removes replays that are over. */
  replays(which?: 'running' | { readonly id: string }): Promise<readonly Replay[]>;
}

/**
 * Counts by time, for charts; each addition is added to what was counted before. A subject is the id of a source or a
 * destination. Times and lengths are milliseconds.
 */
export interface StatsStore {
  /**
   * Adds all of this; where it rejects, it has added nothing. A crash may lose the additions of the last seconds, but corrupts
   * nothing. A stored last time that is over an hour later than `now` comes from a wrong clock, and is replaced.
   */
  add(additions: readonly StatsAddition[], now?: number): Promise<void>;

  /** Sums over all the subjects, step by step, ascending. A step in which nothing was counted is left out. */
  series(query: StatsQuery): Promise<readonly StatsSums[]>;

  /** Sums of each subject over from ≤ time < to, both whole minutes. A subject without counts is left out. */
  totals(subjects: readonly string[], from: number, to: number): Promise<ReadonlyMap<string, StatsSums>>;

  /** Accepted events of each subject, minute by minute, from ≤ time < to. Minutes and subjects without any are left out. */
  accepted(
    subjects: readonly string[],
    from: number,
    to: number,
  ): Promise<ReadonlyMap<string, ReadonlyMap<number, number>>>;

  /** The last times of each subject; subjects without any are left out. */
  last(subjects: readonly string[]): Promise<ReadonlyMap<string, LastTimes>>;
}

export interface LastTimes {
  /** When the last event of a source was accepted, or the last message of a destination delivered; null where there was none. */
  readonly lastAt: number | null;
  /** When a destination's last round of attempts ended; null for a source, and where there was none. */
  readonly triedAt: number | null;
}

/** Counts of refused calls by group (`groupId`); at most `MOST_GROUPS` of a source, and of all unknown write keys. */
export interface RejectionStore {
  /**
   * Adds counts, and replaces the examples by the newer ones. Where there are too many groups, removes those that were seen
   * longest ago. A crash may lose the last seconds.
   */
  add(groups: readonly RejectionGroup[]): Promise<void>;

  /** Groups of a source, of `UNKNOWN_KEYS`, or of all (null), last seen first: `most` of them, or all. */
  groups(sourceId: string | null, most?: number): Promise<readonly RejectionGroup[]>;

  /** Removes the examples of these groups for good. */
  removeExamples(groups: readonly RejectionGroup[]): Promise<void>;
}

const MINUTE = 60_000;

/**
 * The stored lengths of step, in milliseconds, shortest first. Each addition is counted once under every length. So a week of
 * one subject is some eighty rows of two hours, and no range whose bounds are whole steps needs more than a few hundred rows.
 */
export const STATS_STEPS: readonly number[] = [MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE];

export interface StatsQuery {
  readonly subjects: readonly string[];
  /** Whole steps: from ≤ time < to. */
  readonly from: number;
  readonly to: number;
  /** Length of a step, whole minutes. */
  readonly step: number;
}

/**
 * - `accepted`, `rejected`: events accepted and calls refused; of a source only.
 * - `processed`, `failed`, `filtered`: deliveries by their end. When a delivery is sent again its end is subtracted, so an
 * addition may be negative.
 * - `retried`: rounds after which a message went to the retry queue.
 */
export const STATS_COUNTS = ['accepted', 'rejected', 'processed', 'failed', 'filtered', 'retried'] as const;

export type StatsCounts = Readonly<Record<(typeof STATS_COUNTS)[number], number>>;

export function statsCounts(value: (count: keyof StatsCounts) => number): StatsCounts {
  return Object.fromEntries(STATS_COUNTS.map((count) => [count, value(count)])) as StatsCounts;
}

export interface StatsSums extends StatsCounts {
  /** Start of the counted time. */
  readonly at: number;
  /** How many messages were processed how long after their acceptance, by bucket (latency.ts). Zeros at the end may be absent. */
  readonly latency: Uint32Array;
  /** Attempts by their end and the URL's id (of a source without it); at most `MOST_TALLIES` a step. */
  readonly attempts: Tallies;
}

export interface StatsAddition extends StatsSums, LastTimes {
  readonly subject: string;
}

/**
 * Removes old data by whole partitions of time: a partition goes when all its events are older than `before`, and no lane and no
 * retry queue waits for one of them. Refused calls that were not seen since then go too, and statistics of the days (UTC) before
 * it; the last times of a subject 400 days later.
 */
export interface Retention {
  /** Answers how many partitions it removed. `takenIn`: a partition with an event after these offsets stays. */
  expire(before: number, takenIn?: Offsets): Promise<number>;
}

/** Messages that failed because the log dropped them while a lane still waited for them. */
export interface LostMessages {
  readonly sourceId: string;
  readonly destinationId: string;
  readonly messages: number;
}

export interface Claim {
  readonly items: readonly Retry[];
  /** Claimed messages whose bodies retention has dropped: their bodies are empty, and they can only fail. */
  readonly gone?: readonly Retry[];
  /** When the next unclaimed message is due; null where the retry queue has none. */
  readonly nextDueAt: number | null;
}

export interface LaneCountsOf {
  readonly laneId: number;
  readonly sourceId: string;
  readonly destinationId: string;
  readonly counts: LaneCounts;
}

/** The conditions for a page of deliveries or events. */
interface RecordQuery {
  /** Name of a track call's event, or of a page or screen. */
  readonly event: string | null;
  readonly userId: string | null;
  /** Bounds on receivedAt, milliseconds since the epoch: from ≤ receivedAt < to. */
  readonly from: number | null;
  readonly to: number | null;
  /** `next` of the page before; null for the first page. */
  readonly cursor: string | null;
  readonly limit: number;
}

export interface DeliveryQuery extends RecordQuery {
  readonly destinationId: string | null;
  readonly state: DeliveryState | null;
}

export interface DeliveryPage {
  readonly items: readonly Delivery[];
  /** A page may hold fewer items than its limit and still have a next one: a rare filter is searched piece by piece. */
  readonly next: string | null;
}

export interface Delivery extends EventSummary {
  readonly destinationId: string;
  readonly state: DeliveryState;
  readonly reason: string | null;
  readonly attempts: readonly Attempt[];
  readonly rounds: number;
  readonly dueAt: number | null;
  /** For a message that is retried: ids of the URLs that have not taken it, and after a `!` of those that refused it; null before its first round. */
  readonly urlsLeft: readonly string[] | null;
  /** When the delivery last changed. */
  readonly at: number;
}

export interface DeliveryStateOf {
  readonly position: Position;
  readonly destinationId: string;
  readonly state: DeliveryState;
}

export interface EventQuery extends RecordQuery {
  readonly messageId: string | null;
  readonly sourceId: string | null;
  readonly type: EventType | null;
  /**
   * How messageId, event and userId are compared: as a whole (the default), or by their beginning with A to Z like a to z
   * (`prefix`). No index finds a beginning: events are searched piece by piece.
   */
  readonly match?: 'exact' | 'prefix';
}

export interface EventPage {
  readonly items: readonly EventSummary[];
  /** Like a page of deliveries, it may hold fewer items than its limit and still have a next one. */
  readonly next: string | null;
}

/** An event without its body. */
export interface EventSummary {
  readonly position: Position;
  readonly messageId: string;
  readonly sourceId: string;
  readonly type: EventType;
  readonly event: string | null;
  readonly userId: string | null;
  readonly receivedAt: number;
}

export interface RequeueItem {
  readonly position: Position;
  readonly dueAt: number;
}

export interface Requeued {
  /** How many messages were put into the retry queue. */
  readonly put: number;
  /** The former ends of these messages. */
  readonly undone: readonly UndoneEnds[];
}

/** Former ends of the same kind and the same minute. */
export interface UndoneEnds {
  readonly sourceId: string;
  readonly state: DeliveryState;
  /** Start of that minute, milliseconds since the epoch. */
  readonly at: number;
  readonly messages: number;
}

/** What became of the messages that a replay put into the retry queue. A message that a later replay takes counts for both. */
export interface ReplayResult {
  readonly processed: number;
  readonly failed: number;
  readonly filtered: number;
  /** Messages without an end yet. */
  readonly retrying: number;
}

export interface ReplayQuery {
  readonly destinationId: string;
  /** `failed`: failed deliveries. `all`: every event of the destination's sources, in any state. */
  readonly state: 'failed' | 'all';
  readonly sourceIds: readonly string[];
  readonly event: string | null;
  readonly userId: string | null;
  /** How the delivery failed, as in `ReplayCandidate`, or a class like `4xx`; for failed deliveries only. */
  readonly error: string | null;
  readonly from: number | null;
  readonly to: number | null;
  /** Candidates come after this position. */
  readonly after: Position;
  readonly limit: number;
}

/** A message that a replay would take. */
export interface ReplayCandidate extends EventSummary {
  /** How a failed delivery failed (`failureOf` of core/tally.ts): `503`, `timeout`, or its reason where it had no attempt. Null for other states. */
  readonly error: string | null;
}

export interface CandidatePage {
  readonly items: readonly ReplayCandidate[];
  /**
   * `after` of the next page; null where there is none. A page may hold fewer items than its limit, or none, and still have a
   * next one: a rare filter is searched piece by piece.
   */
  readonly next: Position | null;
}

export interface Replay {
  readonly id: string;
  readonly destinationId: string;
  readonly state: 'failed' | 'all';
  readonly filter: {
    readonly event: string | null;
    readonly userId: string | null;
    readonly error: string | null;
  };
  /** The one message that it sends again; null for a replay of several messages. */
  readonly messageId: string | null;
  /**
   * How many messages a person chose one by one; `total` leaves out those that were gone or had not failed. Null for a replay by
   * bounds and filters.
   */
  readonly chosen: number | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly perSecond: number;
  /** Id of the only URL that it sends to; absent for all URLs. */
  readonly webhookId?: string | null;
  readonly status: 'running' | 'stopped' | 'done';
  /** How many messages it was to send; a replay that follows also adds messages that failed later and were taken too. */
  readonly total: number;
  /** How many messages it has put into the retry queue so far. */
  readonly done: number;
  /** The position after which it continues. */
  readonly after: Position;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}
