import type { Outcome } from '../core/delivery.ts';
import type { Policy } from '../core/destination.ts';
import { parseDuration } from '../core/duration.ts';
import { parseRetryAfter } from '../core/retry-after.ts';
import type { RetryPolicy } from './schedule.ts';
import type { SenderOptions } from './sender.ts';

/** The policy of a destination that has none. */
export const NO_POLICY: Policy = {};

/** What a destination's policy departs from in the sender; what it does not name is the process's. */
export function sendLimits({ timeout, maxConcurrency }: Policy): Pick<SenderOptions, 'timeout' | 'connections'> {
  const ms = timeout === undefined ? undefined : parseDuration(timeout);
  return { ...(ms !== undefined && { timeout: ms }), ...(maxConcurrency && { connections: maxConcurrency }) };
}

/** The retry policy of the process, with the destination's own window. */
export function retryPolicy(own: Policy, ofProcess: RetryPolicy): RetryPolicy {
  const window = own.retryWindow === undefined ? undefined : parseDuration(own.retryWindow);
  return window === undefined ? ofProcess : { ...ofProcess, window };
}

/**
 * How an answer is taken: by the rule (contract 3), unless the destination's policy names its status. Then `Retry-After` holds for what is
 * tried again by it, and not for what no longer is.
 */
export function taken(outcome: Outcome, policy: Policy, now: number): Outcome {
  const own = outcome.status === null ? null : ownClass(outcome.status, policy);
  if (own === null || own === outcome.class) return outcome;
  const wait = outcome.headers?.['retry-after'];
  return { ...outcome, class: own, retryAfter: own === 'temporary' && wait ? firstRetryAfter(wait, now) : null };
}

/** Of an answer that has the header more than once the first counts. A date has a comma of its own. */
function firstRetryAfter(values: string, now: number): number | null {
  return parseRetryAfter(values, now) ?? parseRetryAfter(values.replace(/^([\d.]+|.*?GMT),.*$/, '$1'), now);
}

/** What a policy says of a status; null where it says nothing. */
export function ownClass(
  status: number,
  { permanentStatuses, temporaryStatuses }: Policy,
): 'permanent' | 'temporary' | null {
  if (permanentStatuses?.includes(status)) return 'permanent';
  return temporaryStatuses?.includes(status) ? 'temporary' : null;
}
