import type { Attempt } from '../core/delivery.ts';
import type { Position } from '../core/event.ts';
import type { Offsets } from '../core/position.ts';
import type { Reached } from '../core/reached.ts';

/**
 * Requests to delete what is stored about people (contract 10.1), who is suppressed, and the removal itself. Everything a
 * regulation has found out is kept with it, because when it is over nothing else knows of these people.
 */
export interface RegulationStore {
  /** Keeps a new regulation, its users and, where it suppresses, their suppression: all of it or, when it rejects, nothing. */
  create(regulation: Regulation, userIds: readonly string[]): Promise<void>;

  /** Replaces what is known of a regulation, and of these users of it: all of it or nothing. One that was forgotten stays so. */
  save(regulation: Regulation, subjects?: readonly Subject[]): Promise<void>;

  /** All of them, oldest first. */
  regulations(): Promise<readonly Regulation[]>;

  /** Its users, by their place, from a place on. */
  subjects(regulationId: string, from: number, limit: number): Promise<readonly Subject[]>;

  /** Forgets a regulation and its users. Suppressions stay. */
  delete(regulationId: string): Promise<void>;

  /** Ends a suppression; answers whether there was one. */
  lift(userId: string): Promise<boolean>;

  /** All of them, by user id. */
  suppressions(): Promise<readonly Suppression[]>;

  /** Asks for a compaction, whichever process makes it. */
  askCompaction(ask: CompactionAsk): Promise<void>;

  /** What is asked for and still to be made; null when nothing is. */
  compactionAsked(): Promise<CompactionAsk | null>;

  /** What was asked for until a time is done. */
  compactionDone(until: number): Promise<void>;

  /**
   * Calls `changed` when another process may have asked for a compaction, begun or forgotten a regulation, added or lifted a suppression, within a
   * second, and again while that rejects; the answer ends it. Absent where there is only one process.
   */
  watch?(changed: () => Promise<void>): () => void;
}

/** See compaction.ts. */
export interface CompactionAsk {
  /** When it was asked for last, milliseconds since the epoch. */
  readonly at: number;
  /** At once, and not only at the time of day. */
  readonly now: boolean;
}

/**
 * Removes events for good. What is removed is never handed out, found or sent again; its place in the counts stays: where it
 * still waited, its deliveries end as filtered (`user_deleted`), and all its other results stay as they were.
 *
 * An event that is removed has lost its body, name, integrations and userId, and its attempts have no answers. Its
 * position, source, type, time and messageId stay: that is what tells a duplicate.
 */
export interface Erasure {
  /** The end of the log, once everything that was appended before this call is durable. */
  end(): Promise<Offsets>;

  /**
   * A page of the events up to these offsets that carry one of these ids, those after a position in the order of positions; notices of
   * deletion are not among them. An event is found by its userId; one without a userId, or with a placeholder such as `guest`, by its anonymousId, and an alias call by all
   * ids in it: once for each that is asked for.
   */
  find(ids: readonly string[], after: Position, through: Offsets): Promise<FoundPage>;

  /**
   * Removes events; durable when it resolves. What of them was being read then has arrived by then: the caller takes it
   * from all who hold it. Idempotent; positions of which nothing is known are left out.
   */
  erase(events: readonly ErasedEvent[]): Promise<void>;

  /**
   * Resolves when no file holds what was removed before this call: rewritten, or unreadable. That may take minutes, and costs the
   * same for one removal and for many. Rejects with the signal's reason when that aborts.
   */
  purge(signal: AbortSignal): Promise<void>;

  /**
   * Calls `removed` when another process has removed events: those who hold them here let go. The answer ends it. Absent where
   * there is only one process.
   */
  watch?(removed: (positions: ReadonlySet<Position>) => void): () => void;
}

export interface ErasedEvent {
  readonly position: Position;
  readonly sourceId: string;
}

export interface FoundEvent extends ErasedEvent {
  /** The one of the ids that it carries. */
  readonly id: string;
}

export interface FoundPage {
  readonly events: readonly FoundEvent[];
  /** The next page comes after this position; null when this was the last one. */
  readonly next: Position | null;
}

/** What was known of users when their profiles were erased, by their order. */
export interface ErasedProfiles {
  readonly through: Offsets;
  /** All ids that their events may carry. */
  readonly ids: readonly (readonly string[])[];
  /** The sources that spoke of them, also where the log has dropped what they said; absent where that is not known. */
  readonly sources?: readonly (readonly string[])[] | undefined;
}

export const REGULATION_TYPES = ['DELETE_ONLY', 'SUPPRESS_WITH_DELETE'] as const;

export type RegulationType = (typeof REGULATION_TYPES)[number];

export const REGULATION_STEPS = ['searching', 'erasing', 'notifying', 'delivering', 'finished'] as const;

/** What a regulation does now; see regulations.ts. */
export type RegulationStep = (typeof REGULATION_STEPS)[number];

export interface Regulation {
  readonly id: string;
  readonly regulationType: RegulationType;
  readonly step: RegulationStep;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly users: number;
  /** How many ids their persons had, theirs among them; null until that is known. Older versions did not note it. */
  readonly ids?: number | null;
  /** From when on nothing could read the users' events and profiles; null before. Older versions did not note it. */
  readonly erasedAt?: number | null;
  /** When the last file had let go of their bytes; null before. Absent where an older version began it: then it is `finishedAt`. */
  readonly compactedAt?: number | null;
  /** Events after these offsets are left alone; null until that is known. */
  readonly through: Offsets | null;
  /** The step goes on after this: a position of the log, or the place of a user. */
  readonly after: number;
  /** Events that were found, and how many of them are removed. */
  readonly events: { readonly found: number; readonly erased: number };
  readonly notices: NoticeCounts;
}

/** Delete notices that were sent out, and how many of them have ended. */
export interface NoticeCounts {
  readonly total: number;
  readonly ended: number;
  /** Of those that ended: a destination refused it. */
  readonly failed: number;
  /** Of those that ended: no destination took or refused it. Older versions did not count them. */
  readonly filtered?: number;
}

/** One user of a regulation. */
export interface Subject {
  /** From 0, in the order of the request. */
  readonly place: number;
  readonly userId: string;
  /** The sources that have seen the user. */
  readonly sources: readonly SubjectSource[];
}

export interface SubjectSource {
  readonly sourceId: string;
  /** The user's events there. */
  readonly events: number;
  /** Null while it is not sent out, and where the source had no destination that was on. */
  readonly notice: Notice | null;
}

/** A delete message. */
export interface Notice {
  readonly messageId: string;
  readonly position: Position;
  /** `delivered`: no destination failed and one took it. `filtered`: every destination was off when its turn came. */
  readonly state: 'waiting' | 'delivered' | 'failed' | 'filtered';
  /** What became of it at each destination; empty while it waits. */
  readonly receipts: readonly Receipt[];
}

export interface Receipt {
  readonly destinationId: string;
  readonly state: string;
  readonly reason: string | null;
  /** When that was decided, milliseconds since the epoch. */
  readonly at: number;
  /** Every request, to every URL. */
  readonly attempts: readonly Pick<Attempt, 'url' | 'at' | 'ms' | 'status' | 'error'>[];
}

export interface Suppression {
  readonly userId: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Removes what is known of users (people/people.ts). */
export interface Profiles {
  /**
   * Forgets these users, and answers all ids that their events may carry, by the users' order. Events after `through` are
   * another life of theirs. Answers the same under the same id until it is finished, beyond a restart too.
   */
  erase(id: string, userIds: readonly string[], signal: AbortSignal): Promise<ErasedProfiles>;

  /** Whom the removal of these users would reach now. */
  reach(userIds: readonly string[]): Promise<Reached>;

  /** Removes what they did. The log must no longer hold anything of them. Idempotent. */
  finishErasure(id: string, signal: AbortSignal): Promise<void>;
}
