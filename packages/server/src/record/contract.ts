import type { Attempt, Claimed, DeliveryResult, DeliveryState, Retry } from '../core/delivery.ts';
import type { EventType, Position } from '../core/event.ts';
import type { LaneCounts } from '../core/lane.ts';
import type { RejectionGroup } from '../core/rejection.ts';
import type { Tallies } from '../core/tally.ts';

/** What became of every event in every lane: outcomes with their attempts, the retry queue, the counts. */
export interface DeliveryStore {
  /**
   * Records what became of events; durable when it resolves. Idempotent: an event that has an end in its lane and is
   * settled again (a lane handed it out twice) keeps one row and is counted once.
   */
  settle(batch: readonly DeliveryResult[]): Promise<void>;

  /**
   * Takes messages whose time has come from the destination's retry queue, longest due first. They stay this process's until
   * they are settled, released or the process dies.
   */
  claimDue(destinationId: string, now: number, max: number): Promise<Claim>;

  /** Puts claimed messages back, due as they were. */
  release(claimed: readonly Claimed[]): void;

  /**
   * Makes messages of the destination's retry queue due now that would be due later: these, or at most so many of those that were
   * put there by now (or in the second after it: clocks of nodes differ); answers how many.
   * Those that are claimed go on as they are.
   */
  hasten(destinationId: string, now: number, of: number | readonly Position[]): Promise<number>;

  /** Exact counts of each lane of these destinations, ended ones too, all taken at one moment. */
  counts(destinationIds: readonly string[]): Promise<readonly LaneCountsOf[]>;

  /**
   * When the oldest event without an end in a lane of the destination was received (milliseconds since the epoch), for
   * each of these destinations that still waits for one.
   */
  oldestWaiting(destinationIds: readonly string[]): Promise<ReadonlyMap<string, number>>;

  /** Deliveries, newest event first. */
  list(query: DeliveryQuery): Promise<DeliveryPage>;

  /**
   * Accepted events, newest first, also those that no destination took. The records keep the words that can be searched
   * beside each position: a log that is a stream can be read in its order, not searched.
   */
  events(query: EventQuery): Promise<EventPage>;

  /** All deliveries of one event, also to destinations that are gone: what was still tried there ended with the destination. */
  deliveriesOf(position: Position): Promise<readonly Delivery[]>;

  /** How it stands with each of these events at each destination whose lane has come to it; of those that are gone as `deliveriesOf`. */
  statesOf(positions: readonly Position[]): Promise<readonly DeliveryStateOf[]>;

  /**
   * Puts deliveries into the retry queue again, with a new window and due at the given times (contract 12, replays). One that
   * is retrying already, or still waits in its lane, is left alone. What becomes of them from then on is the replay's
   * result. They go to all URLs of the destination, or to those of `urlsLeft` (`Retry.urlsLeft`).
   */
  requeue(
    destinationId: string,
    items: readonly RequeueItem[],
    replayId: string,
    urlsLeft?: readonly string[] | null,
  ): Promise<Requeued>;

  /** What became of the messages of these replays, exactly; none for one of which no message was put into the retry queue. */
  replayResults(replayIds: readonly string[]): Promise<ReadonlyMap<string, ReplayResult>>;

  /** What a replay would take: a page of candidates in the order of acceptance, after a position. */
  candidates(query: ReplayQuery): Promise<CandidatePage>;

  /**
   * Keeps a replay, or replaces it; `done` and `after` never go back. One that is over keeps its status and all else, though a process may
   * still work on it: of a write with another status only `done` and `after` are taken, and the answer is false.
   */
  saveReplay(replay: Replay): Promise<boolean>;
  /** All that are kept, those that run, or the one with an id. Retention lets go of those that are over. */
  replays(which?: 'running' | { readonly id: string }): Promise<readonly Replay[]>;
}

/**
 * What happened, by time, for charts: every amount is added to what was counted before. A subject is a source or a
 * destination, by its id. Times and lengths are milliseconds.
 */
export interface StatsStore {
  /**
   * Adds: all of it or, when it rejects, nothing. A crash may lose what was added in the last seconds, never corrupt it. A last time
   * that is kept and later than `now` by more than an hour was written by a clock that was wrong, and gives way.
   */
  add(additions: readonly StatsAddition[], now?: number): Promise<void>;

  /** Sums over all the subjects, step by step, ascending. A step in which nothing was counted is left out. */
  series(query: StatsQuery): Promise<readonly StatsSums[]>;

  /** Sums per subject over from ≤ time < to, both whole minutes. A subject of which nothing was counted is left out. */
  totals(subjects: readonly string[], from: number, to: number): Promise<ReadonlyMap<string, StatsSums>>;

  /** What was accepted of each subject, minute by minute, from ≤ time < to. A minute or a subject without any is left out. */
  accepted(
    subjects: readonly string[],
    from: number,
    to: number,
  ): Promise<ReadonlyMap<string, ReadonlyMap<number, number>>>;

  /** The last times of each subject that has any. */
  last(subjects: readonly string[]): Promise<ReadonlyMap<string, LastTimes>>;
}

export interface LastTimes {
  /** When the last event was accepted (a source) or delivered (a destination); null when none was. */
  readonly lastAt: number | null;
  /** When the last round of attempts ended, of a destination only; null when none did. */
  readonly triedAt: number | null;
}

/** Refused calls, added up by what is alike (`groupId`); at most `MOST_GROUPS` of a source, and of keys that name none. */
export interface RejectionStore {
  /**
   * Adds counts, and takes the newer example. What was not seen since `before` (milliseconds since the epoch) goes, and what was
   * seen longest ago where there is too much. A crash may lose the last seconds.
   */
  add(groups: readonly RejectionGroup[], before: number): Promise<void>;

  /** Those of a source or of `UNKNOWN_KEYS`, or of all (null), the one seen last first; `most` of them, or all. */
  groups(sourceId: string | null, most?: number): Promise<readonly RejectionGroup[]>;

  /** Takes the examples out of these, for good. */
  removeExamples(groups: readonly RejectionGroup[]): Promise<void>;
}

export interface StatsQuery {
  readonly subjects: readonly string[];
  /** Whole steps: from ≤ time < to. */
  readonly from: number;
  readonly to: number;
  /** Length of a step, whole minutes. */
  readonly step: number;
}

/**
 * - `accepted`, `rejected`: events accepted and calls refused, of a source only.
 * - `processed`, `failed`, `filtered`: deliveries that ended, by how. One that is sent again is taken out where it was counted, so an
 *   addition may be negative.
 * - `retried`: rounds after which a message was put into the retry queue.
 */
export const STATS_COUNTS = ['accepted', 'rejected', 'processed', 'failed', 'filtered', 'retried'] as const;

export type StatsCounts = Readonly<Record<(typeof STATS_COUNTS)[number], number>>;

export function statsCounts(value: (count: keyof StatsCounts) => number): StatsCounts {
  return Object.fromEntries(STATS_COUNTS.map((count) => [count, value(count)])) as StatsCounts;
}

export interface StatsSums extends StatsCounts {
  /** Beginning of the stretch of time that is counted. */
  readonly at: number;
  /** How many were processed how long after they were accepted, by bucket (latency.ts). Zeros at the end may be absent. */
  readonly latency: Uint32Array;
  /** Attempts by end and id of the URL (of a source without it); at most `MOST_TALLIES` a step. */
  readonly attempts: Tallies;
}

export interface StatsAddition extends StatsSums, LastTimes {
  readonly subject: string;
}

/**
 * Drops old data whole, by partition of time: a partition goes when everything in it is older than `before` and no lane
 * and no retry queue still waits for anything in it. Statistics of before then go too; the last times of a subject 400 days later.
 */
export interface Retention {
  /** Answers how many partitions were dropped. */
  expire(before: number): Promise<number>;
}

/** Messages that a lane still waited for and that failed because the log had dropped them. */
export interface LostMessages {
  readonly sourceId: string;
  readonly destinationId: string;
  readonly messages: number;
}

export interface Claim {
  readonly items: readonly Retry[];
  /** Messages that were claimed too, and whose bodies retention has dropped: theirs are empty, and they can only fail. */
  readonly gone?: readonly Retry[];
  /** When the next message that is not claimed is due; null when the retry queue holds none. */
  readonly nextDueAt: number | null;
}

export interface LaneCountsOf {
  readonly laneId: number;
  readonly sourceId: string;
  readonly destinationId: string;
  readonly counts: LaneCounts;
}

/** What a page of deliveries or events is asked by. */
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
  /** Of a message that is retried: ids of the URLs that have not taken it, and after a `!` of those that refused it; null before its first round. */
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
   * How messageId, event and userId are compared: whole (the default), or `prefix`, by their beginning and with A to Z like a
   * to z. No index leads to a beginning: events are looked through in pieces.
   */
  readonly match?: 'exact' | 'prefix';
}

export interface EventPage {
  readonly items: readonly EventSummary[];
  /** A page may hold fewer items than its limit and still have a next one, as that of deliveries. */
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
  /** How many were put into the retry queue. */
  readonly put: number;
  /** The ends that those of them had which had one. */
  readonly undone: readonly UndoneEnds[];
}

/** Ends of the same kind and time that were taken back. */
export interface UndoneEnds {
  readonly sourceId: string;
  readonly state: DeliveryState;
  /** Beginning of the minute in which they were, milliseconds since the epoch. */
  readonly at: number;
  readonly messages: number;
}

/** What became of the messages that a replay put into the retry queue. One that a later replay takes counts for that one too. */
export interface ReplayResult {
  readonly processed: number;
  readonly failed: number;
  readonly filtered: number;
  /** Without an end yet. */
  readonly retrying: number;
}

export interface ReplayQuery {
  readonly destinationId: string;
  /** `failed`: failed deliveries. `all`: every event of the destination's sources, in any state. */
  readonly state: 'failed' | 'all';
  readonly sourceIds: readonly string[];
  readonly event: string | null;
  readonly userId: string | null;
  /** How it failed, as `ReplayCandidate` says it, or `4xx`; of failed ones only. */
  readonly error: string | null;
  readonly from: number | null;
  readonly to: number | null;
  /** Candidates come after this position. */
  readonly after: Position;
  readonly limit: number;
}

/** What a replay would take. */
export interface ReplayCandidate extends EventSummary {
  /** How a failed one failed: the end of its last attempt (`503`, `timeout`), or where it had none why. Null of others. */
  readonly error: string | null;
}

export interface CandidatePage {
  readonly items: readonly ReplayCandidate[];
  /**
   * Where the next page begins: its `after`. Null when nothing comes after this one. A page may hold fewer items than its
   * limit, or none, and still have a next one: a rare filter is searched piece by piece.
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
  /** The one message that it sends again; null when it takes others. */
  readonly messageId: string | null;
  /**
   * How many messages were chosen for it one by one: `total` leaves out those that were gone or had not failed. Null when it takes what its
   * bounds and filter let through.
   */
  readonly chosen: number | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly perSecond: number;
  /** The URL that alone is sent them again, by its id; absent for all. */
  readonly webhookId?: string | null;
  readonly status: 'running' | 'stopped' | 'done';
  /** How many it set out to replay; a followed one adds what failed since and was taken too. */
  readonly total: number;
  /** How many it has put into the retry queue so far. */
  readonly done: number;
  /** It goes on after this position. */
  readonly after: Position;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}
