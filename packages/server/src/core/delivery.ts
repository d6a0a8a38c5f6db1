import type { Target } from './destination.ts';
import type { LogEntry } from './event.ts';
import type { FilterReason } from './reason.ts';

/** All states but `retrying` are final. Stores keep a state as its index in this list. */
export const DELIVERY_STATES = ['processed', 'failed', 'filtered', 'retrying'] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The number by which a state is stored; indexes of the schemas name these numbers. */
export function numberOfState(state: DeliveryState): number {
  return DELIVERY_STATES.indexOf(state);
}

/** The state that a stored number stands for. */
export function stateOf(number: number): DeliveryState {
  return DELIVERY_STATES[number] ?? 'failed';
}

export const OUTCOME_CLASSES = ['success', 'temporary', 'permanent'] as const;

/** How one request ended (contract 3): what happens next depends on this alone. */
export type OutcomeClass = (typeof OUTCOME_CLASSES)[number];

/** One request to one URL and its result. */
export interface Outcome {
  readonly class: OutcomeClass;
  /** HTTP status; null when no response headers came. */
  readonly status: number | null;
  /** Stable code when there is no usable status (`timeout`, `connection_refused`, `certificate_untrusted`…), else null. */
  readonly error: string | null;
  /** The error in words; null where `error` is. */
  readonly detail: string | null;
  /** Milliseconds the endpoint asked to wait (Retry-After), else null. */
  readonly retryAfter: number | null;
  /** First 1 KiB of the answer as text; null when there was none. */
  readonly answer: string | null;
  /** Where the time went. Present for an attempt that failed or opened a connection; a success on an open connection is not measured. */
  readonly timing?: AttemptTiming;
  /** Some headers of the answer to an attempt that failed. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Milliseconds of each part; null for a part that did not happen, because the connection was open or the attempt failed before it. */
export interface AttemptTiming {
  readonly dns: number | null;
  readonly connect: number | null;
  readonly tls: number | null;
  /** From the request, or from the moment its connection was open, to the head of the answer. */
  readonly firstByte: number | null;
}

/** An attempt as stores keep it. */
export interface Attempt extends Pick<Outcome, 'status' | 'error' | 'detail' | 'answer' | 'timing' | 'headers'> {
  /** Id of the destination's URL. Absent in what an earlier version wrote (`settings/webhook-id.ts`), and in what is not saved. */
  readonly webhookId?: string | undefined;
  /** The URL's text at that time. */
  readonly url: string;
  /** When it began, milliseconds since the epoch. */
  readonly at: number;
  /** How long it took, milliseconds. */
  readonly ms: number;
  /** How many attempts between this one and the one before are no longer kept (core/kept-attempts.ts); absent for none. */
  readonly leftOut?: number;
}

/** An attempt as it is kept. */
export function attemptOf({ id, url }: Pick<Target, 'id' | 'url'>, at: number, ms: number, outcome: Outcome): Attempt {
  const { status, error, detail, answer, timing, headers } = outcome;
  const words = { webhookId: id, url, at, ms, status, error, detail, answer };
  // Most attempts have neither.
  return timing || headers ? { ...words, ...(timing && { timing }), ...(headers && { headers }) } : words;
}

/** The attempt without the endpoint's answer, which may repeat the body it was sent. */
export function withoutAnswer({ webhookId, url, at, ms, status, error, detail, timing, leftOut }: Attempt): Attempt {
  const words = { webhookId, url, at, ms, status, error, detail, answer: null };
  // Most attempts have neither.
  return timing || leftOut ? { ...words, ...(timing && { timing }), ...(leftOut && { leftOut }) } : words;
}

/** What became of one event in one lane: after a round of attempts, or without an attempt (filtered, expired). */
export interface DeliveryResult {
  readonly laneId: number;
  readonly destinationId: string;
  readonly entry: LogEntry;
  readonly state: DeliveryState;
  /** Why it was filtered or failed; null otherwise. */
  readonly reason: string | null;
  /** The attempts of this round only. */
  readonly attempts: readonly Attempt[];
  /** Rounds made so far in the current retry window. */
  readonly rounds: number;
  /** When the first round of the window began; null when none has. */
  readonly firstAt: number | null;
  /** When the next round is due; null in every state but `retrying`. */
  readonly dueAt: number | null;
  /** The URLs of the next round, as in `Retry`; null in every state but `retrying`. */
  readonly urlsLeft: readonly string[] | null;
  /** When this was decided, milliseconds since the epoch. */
  readonly at: number;
}

/** Identifies a message that was taken from the retry queue. */
export interface Claimed {
  readonly destinationId: string;
  readonly entry: Pick<LogEntry, 'position'>;
}

/** A message taken from the retry queue for its next round. */
export interface Retry extends Claimed {
  readonly laneId: number;
  readonly entry: LogEntry;
  readonly rounds: number;
  readonly firstAt: number | null;
  /**
   * Ids of URLs, and marks of what is known of the other URLs (core/urls-left.ts); null stands for all URLs of the destination.
   * Earlier versions stored texts of URLs in place of ids.
   */
  readonly urlsLeft: readonly string[] | null;
  /** Whether a replay put the message into the retry queue. */
  readonly isReplay: boolean;
}

/** The delivery as readers see it after its destination was deleted: a message that was still tried ended with the destination. */
export function endedWithDestination<D extends { readonly state: DeliveryState }>(delivery: D): D {
  const state = stateWithoutDestination(delivery.state);
  const reason = 'destination_disabled' satisfies FilterReason;
  return state === delivery.state ? delivery : { ...delivery, state, reason, dueAt: null, urlsLeft: null };
}

export function stateWithoutDestination(state: DeliveryState): DeliveryState {
  return state === 'retrying' ? 'filtered' : state;
}

/** Numbers of the stored states that readers see as this one. `isThere`: whether the destination still exists. */
export function numbersSeenAs(state: DeliveryState, isThere: boolean): number[] {
  const stored = DELIVERY_STATES.filter((one) => (isThere ? one : stateWithoutDestination(one)) === state);
  return stored.map(numberOfState);
}
