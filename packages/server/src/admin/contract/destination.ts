import type { OutcomeClass } from '../../core/delivery.ts';
import type { EventType } from '../../core/event.ts';
import type { Attempt } from './delivery.ts';

export interface CatalogItem {
  name: string;
  description: string;
  /** Which messages the destination takes. */
  messageTypes: EventType[];
  /** JSON Schema of a destination's `settings`. */
  settings: Record<string, unknown>;
}

export interface Webhook {
  url: string;
  headers: Record<string, string>;
}

export interface TrackFilter {
  mode: 'allow' | 'deny';
  events: string[];
}

export interface Destination {
  id: string;
  name: string;
  type: 'Webhooks';
  sourceIds: string[];
  enabled: boolean;
  settings: {
    webhooks: Webhook[];
    /** Write-only: whether there is one, never what it is. */
    sharedSecret: { set: boolean };
  };
  trackFilter: TrackFilter | null;
  /** Events whose `timestamp` is further back when they are accepted are filtered (`too_old`); null takes any age. */
  maxEventAgeHours: number | null;
  createdAt: string;
  /** Null for one that was last changed by a version that did not note it. */
  updatedAt: string | null;
  /** One more with every change; its `ETag`. */
  revision: number;
}

export interface NewWebhook {
  url: string;
  headers?: Record<string, string>;
}

export interface NewDestination {
  name: string;
  type: 'Webhooks';
  sourceIds?: string[];
  enabled?: boolean;
  settings: { webhooks: NewWebhook[]; sharedSecret?: string | null };
  trackFilter?: TrackFilter | null;
  /** Whole hours, 1 to 87600; default null. */
  maxEventAgeHours?: number | null;
}

/** What is absent stays as it is; `webhooks`, `sourceIds` and `trackFilter` are replaced whole when given. */
export interface DestinationChange {
  name?: string;
  sourceIds?: string[];
  enabled?: boolean;
  /** `sharedSecret`: a string sets it, null removes it. */
  settings?: { webhooks?: NewWebhook[]; sharedSecret?: string | null };
  trackFilter?: TrackFilter | null;
  /** Whole hours, 1 to 87600; default null. */
  maxEventAgeHours?: number | null;
}

/** Always `accepted = processed + failed + filtered + waiting`; `retrying` is the part of `waiting` that had an attempt. */
export interface Counts {
  accepted: number;
  processed: number;
  failed: number;
  filtered: number;
  waiting: number;
  retrying: number;
}

/** Counts of one source→destination pair. A pair that was cut and connected again has had several lanes. */
export interface LaneCounts extends Counts {
  laneId: number;
  sourceId: string;
  /** True: the pair was cut; the lane only finishes what it holds. */
  ended: boolean;
}

export interface DestinationStatus {
  /** It sends to this machine, which an admin has not allowed since the start: its events wait. */
  held: boolean;
  /** `open`: a sustained outage, nothing is sent until a probe succeeds. */
  breaker: 'closed' | 'open' | 'probing';
  /** When the next probe goes out; null while the breaker is closed. */
  probeAt: string | null;
  urls: UrlStatus[];
}

export interface UrlStatus {
  url: string;
  /** Requests it may have under way at once, now. */
  concurrency: number;
  inFlight: number;
  /** True: it doesn't answer, and gets single attempts until it does. */
  stalled: boolean;
  lastError: string | null;
}

export interface TestCall {
  /** A call as a client would send it, with its `type`. Absent: a sample track call. */
  event?: Record<string, unknown>;
  /** In place of a call, an accepted event, to the byte, under its own source. */
  message?: MessageChoice;
}

/** One accepted event: a messageId is unique per source and user. The newest where the others are absent. */
export interface MessageChoice {
  messageId: string;
  sourceId?: string;
  userId?: string;
  /** Of a call without a userId. */
  anonymousId?: string;
}

export interface TestResult {
  messageId: string;
  /** The body as it was sent to every URL, JSON text. */
  body: string;
  /** Why a delivery would not have been made: the destination leaves it out. Null when it would. */
  filtered: string | null;
  urls: TestedUrl[];
}

export interface TestedUrl extends Attempt {
  /** What the service would do next, were this not a test. */
  class: OutcomeClass;
  /** The request headers as sent, signature and static headers included. */
  headers: Record<string, string>;
}

/** A URL that is not saved yet: to be checked as delivery would use it. */
export interface NewUrlCheck extends NewWebhook {
  /** Signs the test message as a destination's secret would. */
  sharedSecret?: string | null;
  /** False only looks up the name: no connection, no message. Default true. */
  connect?: boolean;
  /** Sends one real test message; default true. */
  send?: boolean;
}

/** The steps in their order; it ends with the first that fails. */
export interface UrlCheck {
  ok: boolean;
  /** A destination may have it, though it is not reached: a name that doesn't resolve may later. */
  canBeSaved: boolean;
  steps: UrlCheckStep[];
  /** The test message's attempt; null when it came not so far. */
  result: TestedUrl | null;
}

export interface UrlCheckStep {
  /** `url` and `headers`: can they be saved; `address`: DNS and the address guard; `connect`: TCP; `tls`; `message`. */
  name: 'url' | 'headers' | 'address' | 'connect' | 'tls' | 'message';
  ok: boolean;
  ms: number;
  /** What was found, or what is wrong and how to fix it, in words. */
  message: string;
  /** The field that is wrong: `url`, `headers.X-Team`; null where it is none. */
  field: string | null;
}

/** Does a signature fit: what a receiver computes, computed by the code that signs. */
export interface SignatureCheck {
  secret: string;
  /** The body as received, to the byte. */
  body: string;
  /** The `X-Signature` header. */
  signature: string;
}

export interface SignatureVerdict {
  equal: boolean;
  /** What the header would have to be. */
  expected: string;
  /** When they differ: the likely reason in words; null when equal. */
  hint: string | null;
}
