import type { Outcome } from '../core/delivery.ts';
import type { Policy } from '../core/destination.ts';
import { parseDuration } from '../core/duration.ts';
import { parseRetryAfter } from '../core/retry-after.ts';
import type { RetryPolicy } from './schedule.ts';
import type { SenderOptions } from './sender.ts';

/** Stands for the policy of a destination without one. */
export const NO_POLICY: Policy = {};

/** The limits that a destination's policy sets for the sender; absent ones are those of the process. */
export function sendLimits({ timeout, maxConcurrency }: Policy): Pick<SenderOptions, 'timeout' | 'connections'> {
  const ms = timeout === undefined ? undefined : parseDuration(timeout);
  return { ...(ms !== undefined && { timeout: ms }), ...(maxConcurrency && { connections: maxConcurrency }) };
}

/** The retry policy of the process with the destination's own window. */
export function retryPolicy(own: Policy, ofProcess: RetryPolicy): RetryPolicy {
  const window = own.retryWindow === undefined ? undefined : parseDuration(own.retryWindow);
  return window === undefined ? ofProcess : { ...ofProcess, window };
}

/**
 * The outcome of an answer: by the rule (contract 3), unless the destination's policy names its status. `Retry-After` then
 * applies to an answer that the policy has tried again, and no longer to one that it does not.
 */
export function taken(outcome: Outcome, policy: Policy, now: number): Outcome {
  const own = outcome.status === null ? null : ownClass(outcome.status, policy);
  if (own === null || own === outcome.class) return outcome;
  const wait = outcome.headers?.['retry-after'];
  return { ...outcome, class: own, retryAfter: own === 'temporary' && wait ? firstRetryAfter(wait, now) : null };
}

/** Where the header comes more than once, the first counts. A date has a comma of its own. */
function firstRetryAfter(values: string, now: number): number | null {
  return parseRetryAfter(values, now) ?? parseRetryAfter(values.replace(/^([\d.]+|.*?GMT),.*$/, '$1'), now);
}

/** The class that a policy gives a status; null where it gives none. */
export function ownClass(
  status: number,
  { permanentStatuses, temporaryStatuses }: Policy,
): 'permanent' | 'temporary' | null {
  if (permanentStatuses?.includes(status)) return 'permanent';
  return temporaryStatuses?.includes(status) ? 'temporary' : null;
}
