import type { Versioned } from './revision.ts';

/** Name of the one destination type, as an integrations object spells it (contract 9). */
export const WEBHOOKS = 'Webhooks';

/** Most URLs one destination can have (contract 4). */
export const MAX_WEBHOOKS = 5;

/** Where requests go. */
export interface Target {
  /** Absent where it is not saved yet, and from what an earlier version stored. */
  readonly id?: string;
  readonly url: string;
  /** Static headers, sent with every request to this URL. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A URL of a destination. */
export interface Webhook extends Target {
  /** Another for each URL of the destination. An edited URL keeps it, and with it its retries, attempts and statistics. */
  readonly id: string;
}

/** Longest age that a destination can ask for, hours: ten years. */
export const MAX_EVENT_AGE_HOURS = 87_600;

/** Which track calls pass: only those named (`allow`), or all but those named (`deny`). Other types always pass. */
export interface TrackFilter {
  readonly mode: 'allow' | 'deny';
  readonly events: readonly string[];
}

/** By what requests are signed (contract 2): `segment` is X-Signature, the others are those of Standard Webhooks. */
export const SIGNATURES = ['segment', 'standard', 'standard-ed25519'] as const;

export type SignatureScheme = (typeof SIGNATURES)[number];

/** A secret that was replaced. Until then, ISO 8601 UTC, requests carry its signature beside that of the new one. */
export interface FormerSecret {
  readonly secret: string;
  readonly until: string;
}

/** What signs the requests of a destination. Its secrets never leave the service, and reach no log. */
export interface Signing {
  /** Key of X-Signature; null leaves that header out. */
  readonly sharedSecret: string | null;
  /** Absent: `segment` alone. */
  readonly signatures?: readonly SignatureScheme[];
  /** Key of the Standard Webhooks signatures, `whsec_` and base64 of 24 to 64 bytes. */
  readonly standardSecret?: string | null;
  readonly former?: { readonly [K in SecretName]?: FormerSecret };
}

/** Secrets of a destination. */
export const SECRETS = ['sharedSecret', 'standardSecret'] as const;

export type SecretName = (typeof SECRETS)[number];

export function signingOf({ sharedSecret, signatures, standardSecret, former }: Signing): Signing {
  return {
    sharedSecret,
    ...(signatures && { signatures }),
    ...(standardSecret && { standardSecret }),
    ...(former && { former }),
  };
}

export interface Destination extends Versioned, Signing {
  readonly id: string;
  readonly name: string;
  readonly type: typeof WEBHOOKS;
  readonly sourceIds: readonly string[];
  readonly enabled: boolean;
  readonly webhooks: readonly Webhook[];
  readonly trackFilter: TrackFilter | null;
  /** Whole hours: events that were older when they were accepted are filtered; null takes any age. */
  readonly maxEventAgeHours: number | null;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** When it was last changed, ISO 8601 UTC; null where the version that changed it did not note that. */
  readonly updatedAt: string | null;
}
