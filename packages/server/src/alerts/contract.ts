import type { Position } from '../core/event.ts';
import type { Versioned } from '../core/revision.ts';
import type { RuleChanges } from '../core/rule-changes.ts';
import type { RuleCode } from './rules.ts';

/** The settings of alerts, the incidents, and the outbox of notices. */
export interface AlertStore {
  /** The saved settings; null before the first save. */
  settings(): Promise<StoredAlertSettings | null>;
  /** Answers false and changes nothing if the stored revision is not the one before. */
  saveSettings(settings: StoredAlertSettings): Promise<boolean>;

  /** The incidents in a state, or all stored ones. */
  incidents(state?: Incident['state']): Promise<readonly Incident[]>;
  incident(id: string): Promise<Incident | undefined>;
  /** Begins a turn. From now on a save under an earlier turn changes nothing. */
  begin(turn: string): Promise<void>;
  /**
   * Adds or replaces incidents and notices, by id: all, or nothing where it rejects. Answers false and changes nothing where `turn`
   * is not the turn that began last.
   */
  save(incidents: readonly Incident[], notices: readonly Notice[], turn?: string): Promise<boolean>;
  /** Deletes incidents and their snoozes. */
  forget(incidentIds: readonly string[]): Promise<void>;

  /**
   * Until when incidents are snoozed, milliseconds since the epoch, by incident id. Stored apart from incidents: another process
   * may be evaluating those.
   */
  snoozes(): Promise<ReadonlyMap<string, number>>;
  /** Snoozes an incident; null ends the snooze. */
  snooze(incidentId: string, until: number | null): Promise<void>;

  /** The notices to send, oldest first. */
  notices(): Promise<readonly Notice[]>;
  /** Replaces a notice if it still exists: another process may have sent and removed it. */
  saveNotice(notice: Notice): Promise<void>;
  removeNotices(ids: readonly string[]): Promise<void>;
}

export interface Subject {
  readonly kind: 'destination' | 'source' | 'service';
  /** For the service itself: `service`. */
  readonly id: string;
  readonly name: string;
}

/** The measured value of a rule, and the state of its subject at that moment. */
export interface IncidentNumbers {
  /** Measured value and limit, in the unit of the rule (rules.ts). */
  readonly value: number;
  readonly threshold: number;
  /**
   * For a destination: number of waiting events, and when the oldest of them was received (milliseconds since the epoch). Else, and
   * where the incident ended because its destination is no longer watched, null.
   */
  readonly waiting: number | null;
  readonly oldestWaitingAt: number | null;
  /** In the last 15 minutes: failed attempts of a destination, or refused calls of a source. */
  readonly failed: number | null;
}

/** An example message that failed or waits. */
export interface IncidentSample {
  readonly messageId: string;
  readonly sourceId: string;
  /** Absent in incidents of an earlier version. */
  readonly position?: Position;
  /** The error of its last failed attempt, in words; null if there was none. */
  readonly error: string | null;
}

/** A problem with one cause at one subject, from its beginning to its end. Times are milliseconds since the epoch. */
export interface Incident {
  readonly id: string;
  /** The most serious rule that holds, or that held last. Rules with the same cause share an incident (rules.ts). */
  readonly rule: RuleCode;
  /** The other rules of this cause that hold, or that held last. */
  readonly also: readonly RuleCode[];
  /** The cause, in one sentence. */
  readonly cause: string;
  readonly subject: Subject;
  readonly state: 'open' | 'ended';
  readonly since: number;
  readonly endedAt: number | null;
  readonly numbers: IncidentNumbers;
  readonly sample: IncidentSample | null;
  /** The latest updates, oldest first. */
  readonly updates: readonly { readonly at: number; readonly numbers: IncidentNumbers }[];
  /** How it ended, in one sentence; null while it is open. */
  readonly recovery: string | null;
  /** How often it opened again soon after its end. */
  readonly reopened: number;
  /** The most serious rule that it has announced. */
  readonly worst: RuleCode;
  /** When a rule as serious as `worst` held last, and the destination's total of delivered events at that time. */
  readonly low: { readonly at: number; readonly processed: number };
  /** When the last message that waited after `low` was gone, and how many events were delivered by then; null while messages wait. */
  readonly drained: { readonly at: number; readonly events: number } | null;
  /** Since when none of its rules holds; null while one holds. */
  readonly clearSince: number | null;
  /** When the last notice or update of it was written. */
  readonly toldAt: number;
}

export type NoticeType = 'opened' | 'updated' | 'ended';

/** A message to one address. Its content is fixed when it is written: each attempt sends the same content. */
export interface Notice {
  readonly id: string;
  readonly addressId: string;
  readonly type: NoticeType;
  /** The first incidents it reports; more than one if many changed at once. */
  readonly incidents: readonly Incident[];
  /** Number of incidents it reports. */
  readonly count: number;
  readonly createdAt: number;
  /** Number of attempts so far, when the first attempt began, and when the next one is due. */
  readonly rounds: number;
  readonly firstAt: number | null;
  readonly dueAt: number;
}

export type Address =
  | { readonly id: string; readonly kind: 'webhook'; readonly url: string; readonly standardSecret: string }
  | { readonly id: string; readonly kind: 'slack'; readonly url: string }
  | { readonly id: string; readonly kind: 'email'; readonly to: string };

export interface AlertSettings extends Versioned {
  /** Rules for all subjects. A destination or a source may override them. */
  readonly rules: RuleChanges;
  readonly addresses: readonly Address[];
  /** An incident ends after none of its rules held for this duration. */
  readonly endsAfter: string;
}

/** Settings as stored. If addresses are encrypted, they are in `sealed`, and `addresses` is empty. */
export type StoredAlertSettings = AlertSettings & { readonly sealed?: string };

export const NO_ALERT_SETTINGS: AlertSettings = {
  revision: 1,
  rules: {},
  addresses: [],
  endsAfter: '2m',
};
