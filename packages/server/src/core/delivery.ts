import type { Target } from './destination.ts';
import type { LogEntry } from './event.ts';
import type { FilterReason } from './reason.ts';

/** `retrying` is the only state that is not an end. They are stored by their places here. */
export const DELIVERY_STATES = ['processed', 'failed', 'filtered', 'retrying'] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The number that a state is stored by; those of the schemas' indexes are among them. */
export function numberOfState(state: DeliveryState): number {
  return DELIVERY_STATES.indexOf(state);
}

/** The state that is stored by a number. */
export function stateOf(number: number): DeliveryState {
  return DELIVERY_STATES[number] ?? 'failed';
}

export const OUTCOME_CLASSES = ['success', 'temporary', 'permanent'] as const;

/** How one request ended (contract 3): what happens next depends on this alone. */
export type OutcomeClass = (typeof OUTCOME_CLASSES)[number];

/** One request to one URL and what came of it. */
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
  /** Where the time went; of an attempt that failed or opened a connection. What goes well on an open one is not measured. */
  readonly timing?: AttemptTiming;
  /** Some headers of the answer, of an attempt that failed. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Milliseconds of each part; null for a part that did not happen, because the connection was there or because it failed before. */
export interface AttemptTiming {
  readonly dns: number | null;
  readonly connect: number | null;
  readonly tls: number | null;
  /** From the request, or from the connection where it opened one, to the head of the answer. */
  readonly firstByte: number | null;
}

/** An attempt as it is kept. */
export interface Attempt extends Pick<Outcome, 'status' | 'error' | 'detail' | 'answer' | 'timing' | 'headers'> {
  /** Of the destination's URL. Absent from what an earlier version wrote (`settings/webhook-id.ts`), and where it is not saved. */
  readonly webhookId?: string | undefined;
  /** As it was then. */
  readonly url: string;
  /** When it began, milliseconds since the epoch. */
  readonly at: number;
  /** How long it took, milliseconds. */
  readonly ms: number;
}

/** An attempt as it is kept. */
export function attemptOf({ id, url }: Pick<Target, 'id' | 'url'>, at: number, ms: number, outcome: Outcome): Attempt {
  const { status, error, detail, answer, timing, headers } = outcome;
  const words = { webhookId: id, url, at, ms, status, error, detail, answer };
  // Of most attempts nothing more is kept.
  return timing || headers ? { ...words, ...(timing && { timing }), ...(headers && { headers }) } : words;
}

/** Without what the endpoint said: that may repeat what it was sent. */
export function withoutAnswer({ webhookId, url, at, ms, status, error, detail, timing }: Attempt): Attempt {
  const words = { webhookId, url, at, ms, status, error, detail, answer: null };
  return timing ? { ...words, timing } : words;
}

/** What became of one event in one lane after a round of attempts (or after none: filtered, expired). */
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
  /** Of the next round, as in `Retry`; null in every state but `retrying`. */
  readonly urlsLeft: readonly string[] | null;
  /** When this was decided, milliseconds since the epoch. */
  readonly at: number;
}

/** What tells which message of the retry queue was taken. */
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
   * Ids, and marks of what is known of the others (core/urls-left.ts); null: all of the destination's URLs. What an earlier version put here
   * has the texts of URLs.
   */
  readonly urlsLeft: readonly string[] | null;
  /** A replay has put it there. */
  readonly isReplay: boolean;
}

/** A delivery as it is when its destination is gone: what was still tried ended with it. */
export function endedWithDestination<D extends { readonly state: DeliveryState }>(delivery: D): D {
  const state = stateWithoutDestination(delivery.state);
  const reason = 'destination_disabled' satisfies FilterReason;
  return state === delivery.state ? delivery : { ...delivery, state, reason, dueAt: null, urlsLeft: null };
}

export function stateWithoutDestination(state: DeliveryState): DeliveryState {
  return state === 'retrying' ? 'filtered' : state;
}
