import type { Attempt, DeliveryResult, Outcome, OutcomeClass, Retry } from '../core/delivery.ts';
import { type Destination, hasUrl } from '../core/destination.ts';
import type { LogEntry } from '../core/event.ts';
import type { FailReason } from '../core/reason.ts';
import type { SendErrorCode } from '../core/send-error.ts';
import { isForOne, isParked, ONLY, PARKED, REFUSED, refusedBy, TAKEN, wasTaken } from '../core/urls-left.ts';
import { nextRound, type RetryPolicy } from './schedule.ts';

/** A message in the runner: fresh from a lane, or from the retry queue. */
export interface Message {
  readonly laneId: number;
  readonly destinationId: string;
  readonly entry: LogEntry;
  /** Earlier rounds in this retry window. */
  readonly rounds: number;
  readonly firstAt: number | null;
  readonly urlsLeft: readonly string[] | null;
  /** Whether it came from the retry queue. */
  readonly retried: boolean;
  /** Whether a replay put it into the retry queue. */
  readonly isReplay: boolean;
}

export function fresh(laneId: number, destinationId: string, entry: LogEntry): Message {
  const before = { rounds: 0, firstAt: null, urlsLeft: null, retried: false, isReplay: false };
  return { laneId, destinationId, entry, ...before };
}

export function retried(retry: Retry): Message {
  return { ...retry, retried: true };
}

/** The result of a round's attempts. */
export interface RoundResult {
  /** When the first request began, milliseconds since the epoch; without a request, when the round began. */
  readonly startedAt: number;
  readonly attempts: readonly Attempt[];
  /** Outcomes by the URL's id. */
  readonly outcomes: readonly { readonly id: string; readonly outcome: Outcome }[];
  /** Ids of the URLs that were left out because they were paused when the round began. */
  readonly held: readonly string[];
  /** Whether one of these URLs was resumed meanwhile. */
  readonly isResumed: boolean;
}

/** A message that waits for paused URLs is looked at again after this long, milliseconds. A resume brings that forward. */
const HELD_MS = 3_600_000;

/**
 * What becomes of a message after a round (contract 4 and 5): any success and it is processed; else the URLs whose
 * failure may pass are tried again together, no earlier than the latest Retry-After among them; where none is left it is
 * rejected, and where the window is over it has failed. A delete notice has no window: it is tried until it ends. Neither ends
 * a message while it is paused.
 *
 * Where each URL has to take it, those that have not are tried again, and it is processed when none is left. One that has
 * refused it for good is noted among those left, by a `!` before its id: then it fails in the end. That one has taken it is noted
 * too, by a `+`, and that a replay is for one URL alone by a `=`.
 */
export function decide(
  message: Message,
  result: RoundResult,
  now: number,
  random: number,
  policy: RetryPolicy,
  destination: Asking,
): DeliveryResult {
  const { success = 'any' } = destination;
  const rounds = message.rounds + 1;
  const firstAt = message.firstAt ?? result.startedAt;
  const isOver = success === 'any' && (verdictOf(result) === 'success' || wasTaken(message));
  const state = isOver ? ('processed' as const) : ('failed' as const);
  const end = { ...settled(message, now), state, rounds, firstAt, attempts: result.attempts };
  if (isOver) return end;
  const idsOf = (wanted: OutcomeClass): string[] =>
    result.outcomes.flatMap(({ id, outcome }) => (outcome.class === wanted ? [id] : []));
  const left = [...idsOf('temporary'), ...result.held];
  const taken = wasTaken(message) || idsOf('success').length > 0 ? [TAKEN] : [];
  const refusals = success === 'any' ? [] : [...refusedBy(message), ...idsOf('permanent').map((id) => REFUSED + id)];
  const refused = counting(refusals, taken.length > 0, destination);
  const only = isForOne(message) ? [ONLY] : [];
  if (left.length === 0) {
    if (success === 'any') return { ...end, reason: 'rejected' satisfies FailReason };
    return refused.length === 0
      ? { ...end, state: 'processed' }
      : { ...end, reason: 'rejected_by_one' satisfies FailReason };
  }
  const passing = result.outcomes.filter(({ outcome }) => outcome.class === 'temporary');
  const asked = passing.reduce((latest, { outcome }) => Math.max(latest, outcome.retryAfter ?? 0), 0);
  const retryAfter = Math.min(asked, policy.window);
  const isHeld =
    result.held.length > 0 ||
    result.outcomes.some(({ outcome }) => outcome.error === ('paused' satisfies SendErrorCode));
  const window = isLasting(message.entry) || isHeld ? Number.POSITIVE_INFINITY : policy.window;
  const next = nextRound({ rounds, firstAt, now, retryAfter, random }, { ...policy, window });
  if (next === null) return { ...end, reason: 'window_ended' satisfies FailReason };
  const lookedAt = now + (result.isResumed ? 0 : HELD_MS);
  const dueAt = left.length === result.held.length ? lookedAt : next;
  return { ...end, state: 'retrying', dueAt, urlsLeft: [...left, ...refused, ...taken, ...only] };
}

/** The settings that decide about a message. */
type Asking = Pick<Destination, 'success' | 'webhooks'>;

/** The refusals that count: a URL that is gone need not take a message that another URL has taken. */
function counting(refusals: readonly string[], isTaken: boolean, destination: Asking): readonly string[] {
  return isTaken ? refusals.filter((mark) => hasUrl(destination, mark.slice(REFUSED.length))) : refusals;
}

/** The end of a message that would be tried again, but may not be. */
export function failedOf(result: DeliveryResult, reason: FailReason): DeliveryResult {
  return { ...result, state: 'failed', reason, dueAt: null, urlsLeft: null };
}

/** Whether a message is a delete notice: it is tried until it has an end (contract 10.1). */
export function isLasting({ type }: Pick<LogEntry, 'type'>): boolean {
  return type === 'delete';
}

/** The result for a message that goes to the retry queue without an attempt. */
export function putOff(message: Message, now: number, policy: RetryPolicy): DeliveryResult {
  return { ...settled(message, now), state: 'retrying', dueAt: now + policy.cap };
}

/**
 * The result for a message that waits in the retry queue for an earlier call of its user, until a time at the latest. It counts
 * as a round where the message came from the queue.
 */
export function parked(message: Message, now: number, until: number): DeliveryResult {
  const { urlsLeft, rounds, retried } = message;
  const left = urlsLeft ?? [PARKED];
  return {
    ...settled(message, now),
    state: 'retrying',
    dueAt: until,
    urlsLeft: left,
    rounds: rounds + Number(retried),
  };
}

/**
 * The result for a message that waits in the retry queue, untried, because all its URLs (`ids`) are paused. It counts as a round:
 * each result is recorded once.
 */
export function held(message: Message, ids: readonly string[], now: number): DeliveryResult {
  const { urlsLeft, rounds, retried } = message;
  const left = retried && !isParked(message) ? urlsLeft : ids;
  return { ...settled(message, now), state: 'retrying', dueAt: now + HELD_MS, urlsLeft: left, rounds: rounds + 1 };
}

/** The class of a whole round: success if any URL took the message, else temporary if any may take it later. */
export function verdictOf(result: RoundResult): OutcomeClass {
  let verdict: OutcomeClass = 'permanent';
  for (const { outcome } of result.outcomes) {
    if (outcome.class === 'success') return 'success';
    if (outcome.class === 'temporary') verdict = 'temporary';
  }
  return verdict;
}

/**
 * The end of a message that some URLs have answered and that goes to no other URL: the others are gone and need not take it, or
 * one answer was enough.
 */
export function endOf(message: Message, now: number, destination: Asking): DeliveryResult {
  const isTaken = wasTaken(message);
  const isEnough = destination.success !== 'all' && isTaken;
  if (isEnough || counting(refusedBy(message), isTaken, destination).length === 0)
    return { ...settled(message, now), state: 'processed' };
  return endWithout(message, 'failed', 'rejected_by_one' satisfies FailReason, now);
}

/** The end of a message without an attempt now: it is filtered, or its time was over before its turn came. */
export function endWithout(
  message: Message,
  state: 'filtered' | 'failed',
  reason: string,
  now: number,
): DeliveryResult {
  return { ...settled(message, now), state, reason };
}

function settled(message: Message, now: number): DeliveryResult {
  return {
    laneId: message.laneId,
    destinationId: message.destinationId,
    entry: message.entry,
    state: 'failed',
    reason: null,
    attempts: [],
    rounds: message.rounds,
    firstAt: message.firstAt,
    dueAt: null,
    urlsLeft: null,
    at: now,
  };
}
