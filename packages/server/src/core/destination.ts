import type { Offsets } from './position.ts';
import type { Versioned } from './revision.ts';
import type { RuleChanges } from './rule-changes.ts';
import type { Test } from './value-test.ts';

/** Name of the one destination type, as an integrations object spells it (contract 9). */
export const WEBHOOKS = 'Webhooks';

/** Most URLs one destination can have (contract 4). */
export const MAX_WEBHOOKS = 5;

/** Where requests go. */
export interface Target {
  /** Absent where the URL is not saved yet, and in what an earlier version stored. */
  readonly id?: string;
  readonly url: string;
  /** Static headers, sent with every request to this URL. */
  readonly headers: Readonly<Record<string, string>>;
}

/** When a destination, or a URL, is and was paused. Times are ISO 8601 UTC. */
export interface Hold {
  /** Null where it is not paused now. */
  readonly since: string | null;
  /** Former pauses, the newest last. */
  readonly past: readonly { readonly since: string; readonly until: string }[];
  /** Messages up to these offsets that waited for it were discarded, and when. Earlier versions stored no time. */
  readonly discarded?: Offsets;
  readonly discardedAt?: string;
}

/** A URL of a destination. */
export interface Webhook extends Target {
  /** Unique among the URLs of a destination. An edited URL keeps its id, and with it its retries, attempts and statistics. */
  readonly id: string;
  /** Absent where the URL was never paused. */
  readonly hold?: Hold;
}

/** Longest age that a destination can ask for, hours: ten years. */
export const MAX_EVENT_AGE_HOURS = 87_600;

/** Which track calls pass: only those named (`allow`), or all but those named (`deny`). Other types always pass. */
export interface TrackFilter {
  readonly mode: 'allow' | 'deny';
  readonly events: readonly string[];
}

/** The schemes that sign requests (contract 2): `segment` is X-Signature, the others are those of Standard Webhooks. */
export const SIGNATURES = ['segment', 'standard', 'standard-ed25519'] as const;

export type SignatureScheme = (typeof SIGNATURES)[number];

/** A secret that was replaced. Until that time, ISO 8601 UTC, requests carry its signature beside that of the new secret. */
export interface FormerSecret {
  readonly secret: string;
  readonly until: string;
}

/** What signs the requests of a destination. Secrets never leave the service and are never logged. */
export interface Signing {
  /** Key of X-Signature; null leaves that header out. */
  readonly sharedSecret: string | null;
  /** Absent: `segment` alone. */
  readonly signatures?: readonly SignatureScheme[];
  /** Key of the Standard Webhooks signatures, `whsec_` and base64 of 24 to 64 bytes. */
  readonly standardSecret?: string | null;
  readonly former?: { readonly [K in SecretName]?: FormerSecret };
}

/** Names of the secrets of a destination. */
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

/** What a destination sets in place of the settings of the process. Durations are texts like `5s` (core/duration.ts). */
export interface Policy {
  /** Most requests a second, to all its URLs and from all nodes together. */
  readonly ratePerSecond?: number;
  /** Most requests under way at once to one URL, from all nodes together. */
  readonly maxConcurrency?: number;
  /** From the request to the head of the answer; more than the contract's 5 s is a departure. */
  readonly timeout?: string;
  /** From the first round to the last; more than the contract's 4 h is a departure. */
  readonly retryWindow?: string;
  /** Statuses that end a message at a URL, or that are tried again, beyond the rule (contract 3). */
  readonly permanentStatuses?: readonly number[];
  readonly temporaryStatuses?: readonly number[];
}

/** A condition over one call, in the language of audiences. It compares with no moving time, so its answer for a call never changes. */
export type CallFilter =
  | { readonly all: readonly CallFilter[] }
  | { readonly any: readonly CallFilter[] }
  | { readonly not: CallFilter }
  | FieldCondition;

export interface FieldCondition {
  /** A word of the call (`type`, `userId`…), or a path below its properties, traits or context: `properties.total`. */
  readonly field: string;
  readonly is: Test;
}

/** Key of the hashes of a destination's fields: 32 bytes as base64url. It is made once, and never changes or leaves the service. */
export interface Redacts {
  readonly redactKey?: string;
}

export const REDACTIONS = ['drop', 'mask', 'hash'] as const;

/** What happens to a field before the call is sent. */
export interface Redaction {
  /** Below properties, traits or context; `*` stands for each element of a list and for each key. */
  readonly path: string;
  readonly do: (typeof REDACTIONS)[number];
}

/** How a destination's messages are chosen, sent and watched. With the defaults nothing differs from the settings of the process. */
export interface DeliveryOptions {
  readonly trackFilter: TrackFilter | null;
  /** Whole hours: events that were older when they were accepted are filtered; null takes any age. */
  readonly maxEventAgeHours: number | null;
  readonly policy: Policy | null;
  /** Whether a message is processed when one URL has taken it, or when each has. */
  readonly success: 'any' | 'all';
  /** `user`: calls of one user go out one after the other, in the order in which they were accepted. */
  readonly order: 'none' | 'user';
  /** A call that is retried holds up later calls of its user for this long at most; a duration. */
  readonly orderHold: string;
  /** Which calls go out; null for all. */
  readonly filter: CallFilter | null;
  readonly redact: readonly Redaction[];
  /** Categories of consent that a user must have given, all of them. */
  readonly consent: readonly string[];
  /** Changes to the rules of alerts for this destination; they override the rules for all. */
  readonly alerts: RuleChanges;
}

export const DEFAULT_OPTIONS: DeliveryOptions = {
  trackFilter: null,
  maxEventAgeHours: null,
  policy: null,
  success: 'any',
  order: 'none',
  orderHold: '10m',
  filter: null,
  redact: [],
  consent: [],
  alerts: {},
};

/** Options that every version has stored; the others are absent where they are the default. */
type FirstOptions = Pick<DeliveryOptions, 'trackFilter' | 'maxEventAgeHours'>;

export type OptionName = keyof DeliveryOptions;

export const OPTION_NAMES = Object.keys(DEFAULT_OPTIONS) as readonly OptionName[];

/** All options; absent ones have their defaults. */
export function optionsOf(from: Partial<DeliveryOptions>): DeliveryOptions {
  const own = OPTION_NAMES.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]);
  return { ...DEFAULT_OPTIONS, ...Object.fromEntries(own) };
}

/** All options after a change. An option that the change leaves out stays as it is; null sets the default. */
export function optionsAfter<O extends { readonly [K in OptionName]: unknown }>(
  from: O,
  change: { readonly [K in OptionName]?: O[K] | null | undefined },
): Pick<O, OptionName> {
  const all = OPTION_NAMES.map((name) => {
    const asked = change[name];
    return [name, asked === undefined ? from[name] : (asked ?? DEFAULT_OPTIONS[name])];
  });
  return Object.fromEntries(all) as Pick<O, OptionName>;
}

export interface Destination
  extends Versioned,
    Signing,
    Redacts,
    FirstOptions,
    Partial<Omit<DeliveryOptions, keyof FirstOptions>> {
  readonly id: string;
  readonly name: string;
  readonly type: typeof WEBHOOKS;
  readonly sourceIds: readonly string[];
  readonly enabled: boolean;
  readonly webhooks: readonly Webhook[];
  /** Absent where the destination was never paused as a whole. */
  readonly hold?: Hold;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** When it was last changed, ISO 8601 UTC; null where the version that changed it stored no time. */
  readonly updatedAt: string | null;
}

/** Whether one of its URLs has this id. */
export function hasUrl({ webhooks }: Pick<Destination, 'webhooks'>, webhookId: string): boolean {
  return webhooks.some(({ id }) => id === webhookId);
}
