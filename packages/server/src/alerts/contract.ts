import type { Position } from '../core/event.ts';
import type { Versioned } from '../core/revision.ts';
import type { RuleChanges } from '../core/rule-changes.ts';
import type { RuleCode } from './rules.ts';

/** What people have set up about alerts, the incidents, and the notices that are to be sent. */
export interface AlertStore {
  /** As they were saved; null before the first time. */
  settings(): Promise<StoredAlertSettings | null>;
  /** Answers false, and changes nothing, when the revision that is kept is not the one before. */
  saveSettings(settings: StoredAlertSettings): Promise<boolean>;

  /** Those in a state, or all that are kept. */
  incidents(state?: Incident['state']): Promise<readonly Incident[]>;
  incident(id: string): Promise<Incident | undefined>;
  /** Begins a turn: what is saved in one before it is left out from now on. */
  begin(turn: string): Promise<void>;
  /**
   * Keeps incidents and notices, or replaces what has their ids: all of it or, when it rejects, nothing. Answers false, and changes
   * nothing, when another turn has begun than the one that is named.
   */
  save(incidents: readonly Incident[], notices: readonly Notice[], turn?: string): Promise<boolean>;
  /** Forgets incidents, and until when they are snoozed. */
  forget(incidentIds: readonly string[]): Promise<void>;

  /** Until when incidents are snoozed, milliseconds since the epoch, by id. Kept apart: another process evaluates the incidents. */
  snoozes(): Promise<ReadonlyMap<string, number>>;
  /** Null ends it. */
  snooze(incidentId: string, until: number | null): Promise<void>;

  /** Those that are to be sent, oldest first. */
  notices(): Promise<readonly Notice[]>;
  /** Replaces one that is there: another process may have sent and removed it. */
  saveNotice(notice: Notice): Promise<void>;
  removeNotices(ids: readonly string[]): Promise<void>;
}

export interface Subject {
  readonly kind: 'destination' | 'source' | 'service';
  /** Of the service: `service`. */
  readonly id: string;
  readonly name: string;
}

/** What a rule measured, and what is known of its subject at that moment. */
export interface IncidentNumbers {
  /** In the unit of the rule (rules.ts). */
  readonly value: number;
  readonly threshold: number;
  /** Events that wait, and when the oldest of them was received (milliseconds since the epoch); of a destination only. */
  readonly waiting: number | null;
  readonly oldestWaitingAt: number | null;
  /** Attempts of a destination that failed, or calls of a source that were refused, in the last 15 minutes. */
  readonly failed: number | null;
}

/** A message that failed or waits. */
export interface IncidentSample {
  readonly messageId: string;
  readonly sourceId: string;
  /** Absent of what an earlier version kept. */
  readonly position?: Position;
  /** How its last attempt ended, in words; null where it had none. */
  readonly error: string | null;
}

/** One cause at one subject, from its beginning to its end. Times are milliseconds since the epoch. */
export interface Incident {
  readonly id: string;
  /** The gravest of the rules that hold; what they have in common is one cause (rules.ts). */
  readonly rule: RuleCode;
  /** The other rules of the same cause that hold. */
  readonly also: readonly RuleCode[];
  /** One sentence. */
  readonly cause: string;
  readonly subject: Subject;
  readonly state: 'open' | 'ended';
  readonly since: number;
  readonly endedAt: number | null;
  readonly numbers: IncidentNumbers;
  readonly sample: IncidentSample | null;
  /** The last of them, oldest first. */
  readonly updates: readonly { readonly at: number; readonly numbers: IncidentNumbers }[];
  /** What its end was, one sentence; null while it is open. */
  readonly recovery: string | null;
  /** How often it began again soon after it had ended. */
  readonly reopened: number;
  /** The gravest rule that it ever had. */
  readonly worst: RuleCode;
  /** When that one held last, and how many events of the destination had been delivered ever. */
  readonly low: { readonly at: number; readonly processed: number };
  /** When the last message was delivered after that, and how many were until then; null while messages wait. */
  readonly drained: { readonly at: number; readonly events: number } | null;
  /** Since when no rule holds; null while one does. */
  readonly clearSince: number | null;
  /** When it was last announced, or an update noted. */
  readonly toldAt: number;
}

export type NoticeType = 'opened' | 'updated' | 'ended';

/** A message to one address. Its content is that of the moment in which it was written: each attempt sends the same. */
export interface Notice {
  readonly id: string;
  readonly addressId: string;
  readonly type: NoticeType;
  /** The first of them; more than one where many changed at once. */
  readonly incidents: readonly Incident[];
  /** How many there are. */
  readonly count: number;
  readonly createdAt: number;
  /** Attempts so far, when the first of them began, and when the next is due. */
  readonly rounds: number;
  readonly firstAt: number | null;
  readonly dueAt: number;
}

export type Address =
  | { readonly id: string; readonly kind: 'webhook'; readonly url: string; readonly standardSecret: string }
  | { readonly id: string; readonly kind: 'slack'; readonly url: string }
  | { readonly id: string; readonly kind: 'email'; readonly to: string };

export interface AlertSettings extends Versioned {
  /** Of all subjects; a destination or source may have its own. */
  readonly rules: RuleChanges;
  readonly addresses: readonly Address[];
  /** An incident ends when no rule of it held for so long, a duration. */
  readonly endsAfter: string;
}

/** With the addresses encrypted, where they are kept so; then there are none beside. */
export type StoredAlertSettings = AlertSettings & { readonly sealed?: string };

export const NO_ALERT_SETTINGS: AlertSettings = {
  revision: 1,
  rules: {},
  addresses: [],
  endsAfter: '2m',
};
