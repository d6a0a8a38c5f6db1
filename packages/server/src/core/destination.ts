import type { Versioned } from './revision.ts';

/** Name of the one destination type, as an integrations object spells it (contract 9). */
export const WEBHOOKS = 'Webhooks';

/** Most URLs one destination can have (contract 4). */
export const MAX_WEBHOOKS = 5;

export interface Webhook {
  readonly url: string;
  /** Static headers, sent with every request to this URL. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Longest age that a destination can ask for, hours: ten years. */
export const MAX_EVENT_AGE_HOURS = 87_600;

/** Which track calls pass: only those named (`allow`), or all but those named (`deny`). Other types always pass. */
export interface TrackFilter {
  readonly mode: 'allow' | 'deny';
  readonly events: readonly string[];
}

export interface Destination extends Versioned {
  readonly id: string;
  readonly name: string;
  readonly type: typeof WEBHOOKS;
  readonly sourceIds: readonly string[];
  readonly enabled: boolean;
  readonly webhooks: readonly Webhook[];
  /** Key of X-Signature; null leaves the requests unsigned. Never leaves the service, never reaches a log. */
  readonly sharedSecret: string | null;
  readonly trackFilter: TrackFilter | null;
  /** Whole hours: events that were older when they were accepted are filtered; null takes any age. */
  readonly maxEventAgeHours: number | null;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** When it was last changed, ISO 8601 UTC; null where the version that changed it did not note that. */
  readonly updatedAt: string | null;
}
