/**
 * The admin API as its callers see it: JSON as it travels (decisions 12). Types only, so that the UI may import this file
 * and nothing else of the server. The schemas beside it (schemas/) validate requests and make the OpenAPI document; the
 * compiler refuses a schema that differs from its type here. Times are ISO 8601 UTC.
 */

import type { DeliveryState, OutcomeClass } from '../core/delivery.ts';
import type { EventType } from '../core/event.ts';
import type { SourceType } from '../core/source.ts';

export interface Page<T> {
  items: T[];
  /** Give it as `cursor` to get the page after this one; null on the last page. */
  next: string | null;
}

/** RFC 9457, served as `application/problem+json`. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** Stable; one of those listed in docs/http-api.md. */
  code: string;
  /** For input: each wrong field. */
  errors?: FieldError[];
}

export interface FieldError {
  /** Names joined by dots, list places as numbers: `settings.webhooks.0.url`. Empty for the body as a whole. */
  path: string;
  message: string;
}

export interface Source {
  id: string;
  name: string;
  type: SourceType;
  writeKey: string;
  enabled: boolean;
  createdAt: string;
}

export interface NewSource {
  name: string;
  type: SourceType;
  enabled?: boolean;
  /** For moving an installation: the key that clients already carry. Made when absent. */
  writeKey?: string;
}

export interface SourceChange {
  name?: string;
  type?: SourceType;
  enabled?: boolean;
}

/** Since the source's first call; `rejected` since this process started. */
export interface SourceTotals {
  accepted: number;
  duplicates: number;
  rejected: number;
}

/** A call or a whole request that the collection API refused. */
export interface Rejection {
  at: string;
  code: string;
  message: string;
  /** The beginning of what was refused, as text. */
  part: string;
}

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
  createdAt: string;
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
}

/** What is absent stays as it is; `webhooks`, `sourceIds` and `trackFilter` are replaced whole when given. */
export interface DestinationChange {
  name?: string;
  sourceIds?: string[];
  enabled?: boolean;
  /** `sharedSecret`: a string sets it, null removes it. */
  settings?: { webhooks?: NewWebhook[]; sharedSecret?: string | null };
  trackFilter?: TrackFilter | null;
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

/** One request to one URL. */
export interface Attempt {
  url: string;
  at: string;
  ms: number;
  /** HTTP status; null when no response headers came. */
  status: number | null;
  /** Stable code where there is no status (`timeout`, `connection_refused`…). */
  error: string | null;
  detail: string | null;
  /** First 1 KiB of the answer. */
  answer: string | null;
}

export interface TestCall {
  /** A call as a client would send it, with its `type`. Absent: a sample track call. */
  event?: Record<string, unknown>;
}

export interface TestResult {
  messageId: string;
  /** The body as it was sent to every URL, JSON text. */
  body: string;
  urls: TestedUrl[];
}

export interface TestedUrl extends Attempt {
  /** What the service would do next, were this not a test. */
  class: OutcomeClass;
  /** The request headers as sent, signature and static headers included. */
  headers: Record<string, string>;
}

export interface Delivery {
  destinationId: string;
  sourceId: string;
  messageId: string;
  type: EventType;
  event: string | null;
  userId: string | null;
  receivedAt: string;
  state: DeliveryState;
  /** Why it failed or was filtered. */
  reason: string | null;
  attempts: Attempt[];
  /** Rounds of attempts made in the current retry window. */
  rounds: number;
  nextAttemptAt: string | null;
  updatedAt: string;
}

/** The whole way of one message. */
export interface Trace {
  messageId: string;
  sourceId: string;
  type: EventType;
  event: string | null;
  userId: string | null;
  receivedAt: string;
  /** The call as it was received, put together again from what was kept: its batch's context and integrations merged in. */
  received: Record<string, unknown>;
  /** The body of every request, JSON text, byte for byte. */
  sent: string;
  lanes: TracedLane[];
}

export interface TracedLane {
  destinationId: string;
  /** Null when the destination is deleted. */
  destinationName: string | null;
  /** `waiting`: the lane has not come to it yet. */
  state: DeliveryState | 'waiting';
  reason: string | null;
  attempts: Attempt[];
  rounds: number;
  nextAttemptAt: string | null;
  updatedAt: string | null;
}

export interface NewReplay {
  destinationId: string;
  /** `failed`: failed deliveries. `all`: every event of the destination's sources, whatever became of it. */
  state: 'failed' | 'all';
  /** Bounds on receivedAt: from ≤ receivedAt < to. */
  from?: string | null;
  to?: string | null;
  filter?: { event?: string | null; userId?: string | null };
  perSecond?: number;
  /** Only count, and show a few. */
  dryRun?: boolean;
}

export interface ReplayPreview {
  count: number;
  /** The first few, in the order they would go. */
  sample: ReplaySample[];
}

export interface ReplaySample {
  messageId: string;
  sourceId: string;
  type: EventType;
  event: string | null;
  userId: string | null;
  receivedAt: string;
}

export interface Replay {
  id: string;
  destinationId: string;
  state: 'failed' | 'all';
  filter: { event: string | null; userId: string | null };
  from: string | null;
  to: string | null;
  perSecond: number;
  status: 'running' | 'stopped' | 'done';
  /** How many it set out to replay. */
  total: number;
  /** How many went back to waiting so far; those that were waiting anyway are not among them. */
  done: number;
  createdAt: string;
}

export interface HealthReport {
  status: 'ok' | 'failing';
  checks: HealthCheck[];
}

export interface HealthCheck {
  name: string;
  ok: boolean;
  /** Why it fails; null when it doesn't. */
  reason: string | null;
}
