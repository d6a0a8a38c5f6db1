import type { Versioned } from './revision.ts';
import type { RuleChanges } from './rule-changes.ts';

export const SOURCE_TYPES = ['web', 'mobile', 'server'] as const;

export type SourceType = (typeof SOURCE_TYPES)[number];

/** Where calls come from; its write key is what a client library is given. */
export interface Source extends Versioned {
  readonly id: string;
  readonly name: string;
  readonly type: SourceType;
  readonly writeKey: string;
  readonly enabled: boolean;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** The write key before the last rotation, with the time from which it is refused; null when there is none. */
  readonly oldKey: OldKey | null;
  /** Origins whose pages may send, as browsers name them (`https://shop.example.com`); absent or empty for any. */
  readonly allowedOrigins?: readonly string[];
  /** Absent or null for that of its type. */
  readonly quota?: Quota | null;
  /** What is set of its own rules of alerts, before those of all; absent for none. */
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
/** The write key of a web page or an app is public. By day there is no bound: a visitor could silence a shop until midnight. */
const PUBLIC: Quota = { eventsPerSecond: 2_000, bytesPerSecond: 4_000_000, eventsPerDay: null };

/** The quota in force. What the service itself sends has none. */
export function quotaOf({ type, quota, sentBy }: Source): Quota {
  if (sentBy !== undefined) return UNBOUNDED;
  return quota ?? (type === 'server' ? UNBOUNDED : PUBLIC);
}

export interface OldKey {
  readonly writeKey: string;
  /** ISO 8601 UTC. */
  readonly until: string;
}

/** Whether a write key that was replaced is still taken, at a time in milliseconds since the epoch. */
export function isTaken(key: OldKey, now: number): boolean {
  return now < Date.parse(key.until);
}
