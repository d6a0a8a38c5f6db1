import type { Attempt, DeliveryResult, Outcome, OutcomeClass, Retry } from '../core/delivery.ts';
import type { LogEntry } from '../core/event.ts';
import type { FailReason } from '../core/reason.ts';
import { nextRound, type RetryPolicy } from './schedule.ts';

/** A message as the loop holds it: fresh from a lane, or back from the retry queue. */
export interface Message {
  readonly laneId: number;
  readonly destinationId: string;
  readonly entry: LogEntry;
  /** Rounds made in this window before now. */
  readonly rounds: number;
  readonly firstAt: number | null;
  readonly urlsLeft: readonly string[] | null;
  /** True when it came from the retry queue. */
  readonly retried: boolean;
}

export function fresh(laneId: number, destinationId: string, entry: LogEntry): Message {
  return { laneId, destinationId, entry, rounds: 0, firstAt: null, urlsLeft: null, retried: false };
}

export function retried(retry: Retry): Message {
  return { ...retry, retried: true };
}

/** What the round's attempts came to. */
export interface RoundResult {
  readonly startedAt: number;
  readonly attempts: readonly Attempt[];
  /** By the id of the URL. */
  readonly outcomes: readonly { readonly id: string; readonly outcome: Outcome }[];
}

/**
 * What becomes of a message after a round (contract 4 and 5): any success and it is processed; else the URLs whose
 * failure may pass are tried again together, no earlier than the latest Retry-After among them; where none is left it is
 * rejected, and where the window is over it has failed. A delete notice has no window: it is tried until it ends.
 */
export function decide(
  message: Message,
  result: RoundResult,
  now: number,
  random: number,
  policy: RetryPolicy,
): DeliveryResult {
  const rounds = message.rounds + 1;
  const firstAt = message.firstAt ?? result.startedAt;
  const end = { ...settled(message, now), rounds, firstAt, attempts: result.attempts };
  if (verdictOf(result) === 'success') return { ...end, state: 'processed' };
  const left = result.outcomes.filter(({ outcome }) => outcome.class === 'temporary');
  if (left.length === 0) return { ...end, state: 'failed', reason: 'rejected' satisfies FailReason };
  const asked = left.reduce((latest, { outcome }) => Math.max(latest, outcome.retryAfter ?? 0), 0);
  const retryAfter = Math.min(asked, policy.window);
  const window = isLasting(message.entry) ? Number.POSITIVE_INFINITY : policy.window;
  const next = nextRound({ rounds, firstAt, now, retryAfter, random }, { ...policy, window });
  if (!next) return { ...end, state: 'failed', reason: 'window_ended' satisfies FailReason };
  return { ...end, state: 'retrying', dueAt: next.dueAt, urlsLeft: left.map(({ id }) => id) };
}

/** A delete notice: it is tried for as long as it takes (contract 10.1). */
export function isLasting({ type }: Pick<LogEntry, 'type'>): boolean {
  return type === 'delete';
}

/** A message that goes to the retry queue before any attempt. */
export function putOff(message: Message, now: number, policy: RetryPolicy): DeliveryResult {
  return { ...settled(message, now), state: 'retrying', dueAt: now + policy.cap };
}

/** The round as a whole: success if any URL took it, else temporary if any may take it later. */
export function verdictOf(result: RoundResult): OutcomeClass {
  let verdict: OutcomeClass = 'permanent';
  for (const { outcome } of result.outcomes) {
    if (outcome.class === 'success') return 'success';
    if (outcome.class === 'temporary') verdict = 'temporary';
  }
  return verdict;
}

/** A message that ends without an attempt now: filtered, or its time was over before its turn came. */
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
