import type { Attempt, DeliveryState, Retry, Settlement } from '../core/delivery.ts';
import type { EventType, Position } from '../core/event.ts';
import type { LaneCounts } from '../core/lane.ts';

/** What became of every event in every lane: outcomes with their attempts, the shelf, the counts. */
export interface DeliveryStore {
  /**
   * Records what became of events; durable when it resolves. Idempotent: an event that has an end in its lane and is
   * settled again (a lane handed it out twice) keeps one row and is counted once.
   */
  settle(batch: readonly Settlement[]): Promise<void>;

  /**
   * Takes messages off the destination's shelf whose time has come, longest due first. They stay this process's until
   * they are settled, released or the process dies.
   */
  claimDue(destinationId: string, now: number, max: number): Promise<Claim>;

  /** Puts claimed messages back, due as they were. */
  release(retries: readonly Retry[]): void;

  /** Exact counts of each lane of the destination, ended ones too, taken at one moment. */
  counts(destinationId: string): Promise<readonly LaneCountsOf[]>;

  /** Deliveries, newest event first. */
  list(query: DeliveryQuery): Promise<DeliveryPage>;

  /** All deliveries of one event. */
  deliveriesOf(position: Position): Promise<readonly Delivery[]>;

  /**
   * Puts deliveries on the shelf again, with a new window and due at the given times (decisions 12, replays). One that
   * is retrying already, or still waits in its lane, is left alone. Answers how many were put there.
   */
  requeue(destinationId: string, items: readonly RequeueItem[]): Promise<number>;

  /** What a replay would take: a page of candidates in the order of acceptance, after a position. */
  candidates(query: ReplayQuery): Promise<readonly ReplayCandidate[]>;

  saveReplay(replay: Replay): Promise<void>;
  replays(): Promise<readonly Replay[]>;
}

/**
 * Drops old data whole, by partition of time: a partition goes when everything in it is older than `before` and no lane
 * and no shelf still waits for anything in it.
 */
export interface Retention {
  /** Answers how many partitions were dropped. */
  expire(before: number): Promise<number>;
}

export interface Claim {
  readonly items: readonly Retry[];
  /** When the next message that is not claimed is due; null when the shelf holds none. */
  readonly nextDueAt: number | null;
}

export interface LaneCountsOf {
  readonly laneId: number;
  readonly sourceId: string;
  readonly counts: LaneCounts;
}

export interface DeliveryQuery {
  readonly destinationId: string | null;
  readonly state: DeliveryState | null;
  /** Exact name of a track call's event. */
  readonly event: string | null;
  readonly userId: string | null;
  /** Bounds on receivedAt, milliseconds since the epoch: from ≤ receivedAt < to. */
  readonly from: number | null;
  readonly to: number | null;
  /** `next` of the page before; null for the first page. */
  readonly cursor: string | null;
  readonly limit: number;
}

export interface DeliveryPage {
  readonly items: readonly Delivery[];
  /** A page may hold fewer items than its limit and still have a next one: a rare filter is searched piece by piece. */
  readonly next: string | null;
}

export interface Delivery {
  readonly destinationId: string;
  readonly position: Position;
  readonly sourceId: string;
  readonly messageId: string;
  readonly type: EventType;
  readonly event: string | null;
  readonly userId: string | null;
  readonly receivedAt: number;
  readonly state: DeliveryState;
  readonly reason: string | null;
  readonly attempts: readonly Attempt[];
  readonly rounds: number;
  readonly dueAt: number | null;
  /** When the delivery last changed. */
  readonly at: number;
}

export interface RequeueItem {
  readonly position: Position;
  readonly dueAt: number;
}

export interface ReplayQuery {
  readonly destinationId: string;
  /** `failed`: failed deliveries. `all`: every event of the destination's sources, whatever became of it. */
  readonly state: 'failed' | 'all';
  readonly sourceIds: readonly string[];
  readonly event: string | null;
  readonly userId: string | null;
  readonly from: number | null;
  readonly to: number | null;
  /** Candidates come after this position. */
  readonly after: Position;
  readonly limit: number;
}

export interface ReplayCandidate {
  readonly position: Position;
  readonly messageId: string;
  readonly sourceId: string;
  readonly type: EventType;
  readonly event: string | null;
  readonly userId: string | null;
  readonly receivedAt: number;
}

export interface Replay {
  readonly id: string;
  readonly destinationId: string;
  readonly state: 'failed' | 'all';
  readonly filter: { readonly event: string | null; readonly userId: string | null };
  readonly from: number | null;
  readonly to: number | null;
  readonly perSecond: number;
  readonly status: 'running' | 'stopped' | 'done';
  /** How many it set out to replay. */
  readonly total: number;
  /** How many it has put on the shelf so far. */
  readonly done: number;
  /** It goes on after this position. */
  readonly after: Position;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}
