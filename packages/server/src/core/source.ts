import type { Versioned } from './revision.ts';
import type { RuleChanges } from './rule-changes.ts';

export const SOURCE_TYPES = ['web', 'mobile', 'server'] as const;

export type SourceType = (typeof SOURCE_TYPES)[number];

/** Where calls come from. A client library sends with its write key. */
export interface Source extends Versioned {
  readonly id: string;
  readonly name: string;
  readonly type: SourceType;
  readonly writeKey: string;
  readonly enabled: boolean;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** The former write key and when it ceases to work; null when there is none. */
  readonly oldKey: OldKey | null;
  /** Origins of web pages that may send, as browsers name them (`https://shop.example.com`); absent or empty allows any. */
  readonly allowedOrigins?: readonly string[];
  /** Absent or null: the quota of the source's type. */
  readonly quota?: Quota | null;
  /** Changes to the rules of alerts for this source; they override the rules for all. Absent for none. */
  readonly alerts?: RuleChanges;
  /** Id of the audience or computed trait that sends under this source; absent where calls come from outside. */
  readonly sentBy?: string;
}

/** How much a source may send; null for no bound. */
export interface Quota {
  readonly eventsPerSecond: number | null;
  readonly bytesPerSecond: number | null;
  readonly eventsPerDay: number | null;
}

const UNBOUNDED: Quota = { eventsPerSecond: null, bytesPerSecond: null, eventsPerDay: null };
/** The write key of a web page or an app is public. It has no daily bound: one visitor could use a shop's quota up until midnight. */
const PUBLIC: Quota = { eventsPerSecond: 2_000, bytesPerSecond: 4_000_000, eventsPerDay: null };

/** The quota that applies. A source of the service itself has none. */
export function quotaOf({ type, quota, sentBy }: Source): Quota {
  if (sentBy !== undefined) return UNBOUNDED;
  return quota ?? (type === 'server' ? UNBOUNDED : PUBLIC);
}

export interface OldKey {
  readonly writeKey: string;
  /** ISO 8601 UTC. */
  readonly until: string;
}

/** Whether a former write key still works at a time, milliseconds since the epoch. */
export function isTaken(key: OldKey, now: number): boolean {
  return now < Date.parse(key.until);
}
