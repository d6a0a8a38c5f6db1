import type { Attempt } from '../core/delivery.ts';
import type { Position } from '../core/event.ts';
import type { Offsets } from '../core/position.ts';
import type { Reached } from '../core/reached.ts';

/**
 * Deletion requests (contract 10.1), and the suppressed users. A regulation keeps everything it has found out: when it is
 * finished, nothing else knows of these people.
 */
export interface RegulationStore {
  /** Stores a new regulation, its users and, if it suppresses, their suppressions: all, or nothing if it rejects. */
  create(regulation: Regulation, userIds: readonly string[]): Promise<void>;

  /**
   * Replaces a regulation and these users of it: all or nothing. Does nothing if the regulation was deleted, or if its stored step is
   * further: a process that worked on it before may not know yet that another one does.
   */
  save(regulation: Regulation, subjects?: readonly Subject[]): Promise<void>;

  /** All regulations, oldest first, or only those that have not finished, or the one with this id. */
  regulations(which?: WhichRegulations): Promise<readonly Regulation[]>;

  /** Users of a regulation, by place, beginning with the place `from`. */
  subjects(regulationId: string, from: number, limit: number): Promise<readonly Subject[]>;

  /** Deletes a regulation and its users. Their suppressions stay. */
  delete(regulationId: string): Promise<void>;

  /** Ends a suppression. Answers whether it existed. */
  lift(userId: string): Promise<boolean>;

  /** All suppressions, by user id. */
  suppressions(): Promise<readonly Suppression[]>;

  /** Asks for a compaction. Any process may ask; the one that compacts finds the request. */
  askCompaction(ask: CompactionAsk): Promise<void>;

  /** The request for a compaction that is not yet done; null if there is none. */
  compactionAsked(): Promise<CompactionAsk | null>;

  /** The request of this time is done. One that came meanwhile stays. */
  compactionDone(at: number): Promise<void>;

  /**
   * Calls `changed` within a second after another process may have changed something, and again while `changed` rejects: a
   * compaction asked for, a regulation begun or deleted, a suppression added or lifted. The answer ends that. Absent if the store
   * allows only one process.
   */
  watch?(changed: () => Promise<void>): () => void;
}

export type WhichRegulations = 'running' | { readonly id: string };

/** A request for a compaction (compaction.ts). */
export interface CompactionAsk {
  /** Time of the latest request, milliseconds since the epoch. */
  readonly at: number;
  /** True: at once. False: at the usual time of day. */
  readonly now: boolean;
}

/**
 * Removes events for good. A removed event is never read by a lane, found or sent again. Its place in the counts stays:
 * deliveries that still waited end as filtered (`user_deleted`), all other results stay as they were.
 *
 * A removed event has lost its body, name, integrations and userId, and its attempts have no answers. Its position, source, type,
 * time and messageId stay: the messageId identifies duplicates.
 */
export interface Erasure {
  /** The end of the log, when all events appended before this call are durable. */
  end(): Promise<Offsets>;

  /**
   * A page of the events up to the offsets `through` that carry one of these ids, beginning after a position, in the order of
   * positions. Notices of deletion are left out. An event is found by its userId. Without a userId, or with a placeholder such as
   * `guest`, it is found by its anonymousId. An alias call is found by its previousId too, once for each id that is asked for.
   * `anonymousIds`: those of the ids that users may share. They find no alias call of a user.
   */
  find(ids: readonly string[], after: Position, through: Offsets, anonymousIds?: readonly string[]): Promise<FoundPage>;

  /**
   * Removes events; durable when it resolves. Reads that ran at the same time have ended by then: so the caller can take the
   * events from all who hold them. Idempotent. Positions without an event are ignored.
   */
  erase(events: readonly ErasedEvent[]): Promise<void>;

  /**
   * Resolves when no file contains what was removed before this call: the files are rewritten or made unreadable. This may take
   * minutes. It costs the same for one removal as for many. Rejects with the signal's reason if the signal aborts.
   */
  purge(signal: AbortSignal): Promise<void>;

  /**
   * Calls `removed` after another process has removed events: holders in this process must drop them. The answer ends that.
   * Absent if the store allows only one process.
   */
  watch?(removed: (positions: ReadonlySet<Position>) => void): () => void;
}

export interface ErasedEvent {
  readonly position: Position;
  readonly sourceId: string;
}

export interface FoundEvent extends ErasedEvent {
  /** Which of the requested ids the event carries. */
  readonly id: string;
}

export interface FoundPage {
  readonly events: readonly FoundEvent[];
  /** The next page begins after this position; null after the last page. */
  readonly next: Position | null;
}

/** What was known of users when their profiles were erased; arrays in the order of the users. */
export interface ErasedProfiles {
  readonly through: Offsets;
  /** For each user, all ids that the user's events may carry. */
  readonly ids: readonly (readonly string[])[];
  /** All of these ids that no call had as its userId, without the users' own. Absent in older versions. */
  readonly anonymousIds?: readonly string[] | undefined;
  /** For each user, the sources that sent events about the user, even if the log has dropped those events. Absent if unknown. */
  readonly sources?: readonly (readonly string[])[] | undefined;
}

export const REGULATION_TYPES = ['DELETE_ONLY', 'SUPPRESS_WITH_DELETE'] as const;

export type RegulationType = (typeof REGULATION_TYPES)[number];

export const REGULATION_STEPS = ['searching', 'erasing', 'notifying', 'delivering', 'finished'] as const;

/** The current step of a regulation; see regulations.ts. */
export type RegulationStep = (typeof REGULATION_STEPS)[number];

export interface Regulation {
  readonly id: string;
  readonly regulationType: RegulationType;
  readonly step: RegulationStep;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly users: number;
  /** Number of ids of the users' persons, the users' own ids included; null until known. Absent in older versions. */
  readonly ids?: number | null;
  /** When the users' events and profiles became unreadable; null before. Absent in older versions. */
  readonly erasedAt?: number | null;
  /** When the last file no longer contained their bytes; null before. Absent if an older version began the regulation: then it is `finishedAt`. */
  readonly compactedAt?: number | null;
  /** Events after these offsets are not removed; null until the offsets are known. */
  readonly through: Offsets | null;
  /** The step continues after this: a position of the log, or the place of a user. */
  readonly after: number;
  /** Numbers of events: found, and removed so far. */
  readonly events: { readonly found: number; readonly erased: number };
  readonly notices: NoticeCounts;
}

/** Numbers of delete notices: sent out, and ended at each destination. */
export interface NoticeCounts {
  readonly total: number;
  readonly ended: number;
  /** Ended notices that a destination took and none refused. Absent in older versions. */
  readonly delivered?: number;
  /** Notices that a destination refused, also those that have not ended at another one. */
  readonly failed: number;
  /** Ended notices that no destination took or refused. Absent in older versions. */
  readonly filtered?: number;
}

/** A user of a regulation. */
export interface Subject {
  /** Index in the request, from 0. */
  readonly place: number;
  readonly userId: string;
  /** The sources that have seen the user. */
  readonly sources: readonly SubjectSource[];
}

export interface SubjectSource {
  readonly sourceId: string;
  /** Number of the user's events from this source. */
  readonly events: number;
  /** Null until it is sent out, and if no destination of the source was on. */
  readonly notice: Notice | null;
}

/** A delete message. */
export interface Notice {
  readonly messageId: string;
  readonly position: Position;
  /**
   * `waiting`: it has not ended at each destination. `delivered`: no destination failed and at least one took it. `filtered`: every
   * destination was off when its turn came.
   */
  readonly state: 'waiting' | 'delivered' | 'failed' | 'filtered';
  /** The result at each destination where the notice has ended. */
  readonly receipts: readonly Receipt[];
}

export interface Receipt {
  readonly destinationId: string;
  readonly state: string;
  readonly reason: string | null;
  /** When the result was decided, milliseconds since the epoch. */
  readonly at: number;
  /** The kept requests to all URLs. */
  readonly attempts: readonly Pick<Attempt, 'url' | 'at' | 'ms' | 'status' | 'error' | 'leftOut'>[];
}

export interface Suppression {
  readonly userId: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Removes the profiles of users (people/people.ts). */
export interface Profiles {
  /**
   * Removes the profiles of these users. Answers all ids that their events may carry, in the order of the users. Events after
   * `through` belong to new profiles. Repeated with the same id it gives the same answer, after a restart too, until
   * `finishErasure`.
   */
  erase(id: string, userIds: readonly string[], signal: AbortSignal): Promise<ErasedProfiles>;

  /** What a removal of these users would affect now. */
  reach(userIds: readonly string[]): Promise<Reached>;

  /** Removes what the users did. Call it when the log has none of their events left. Idempotent. */
  finishErasure(id: string, signal: AbortSignal): Promise<void>;
}
