import { roundsOf } from '../core/rounds.ts';
import { share } from '../core/share.ts';
import type { RunnerStatus } from '../deliver/runner-world.ts';
import type { DestinationHealth, StatsNumbers } from './contract.ts';

type Rounds = Pick<StatsNumbers, 'processed' | 'failed' | 'retried' | 'attempts' | 'attemptsFailed'>;

/** The facts from which the health of a destination follows. */
export interface HealthSigns {
  readonly enabled: boolean;
  /** Since when it is paused, ISO 8601 UTC; null if it is not. */
  readonly pausedSince: string | null;
  /** Null if this process does not send to it. */
  readonly status:
    | (Pick<RunnerStatus, 'breaker'> & { readonly held?: boolean } & {
        readonly urls: readonly { readonly stalled: boolean; readonly overloaded: boolean }[];
      })
    | null;
  /** Number of its paused URLs, if each message has to reach all URLs; else 0. */
  readonly pausedUrls: number;
  readonly lastHour: Rounds;
  /** Results of the last 5 minutes with attempts, and whether these minutes are past. */
  readonly lastMinutes: Rounds;
  readonly isOver: boolean;
  readonly waiting: number;
  /** How many of the waiting had an attempt. */
  readonly retrying: number;
  /** How long the oldest event has waited, milliseconds; null if none waits. */
  readonly longestWait: number | null;
  /** Whether the oldest event is held, and will reach the end of its retention within a day. */
  readonly isAboutToBeLost: boolean;
}

export interface HealthVerdict {
  readonly health: DestinationHealth;
  /** A few words; null if it is healthy. */
  readonly reason: string | null;
}

/** Smallest share of successful attempts in the last hour at a healthy destination. */
const HEALTHY_SHARE = 0.99;
/** A destination fails below this share of successful rounds in the last minutes. */
const FAILING_SHARE = 0.5;
const MINUTE = 60_000;
/** Messages delivered within this time are no backlog, milliseconds. */
export const LAST_MINUTES: number = 5 * MINUTE;

/** The health of a destination, as `DestinationHealth` defines it: the most serious state that holds. */
export function healthOf(signs: HealthSigns): HealthVerdict {
  const verdict = healthNow(signs);
  if (!signs.isAboutToBeLost || verdict.health === 'off') return verdict;
  return {
    health: verdict.health === 'paused' ? 'paused' : 'failing',
    reason: `${verdict.reason ?? 'Messages wait'}, and the oldest is lost within a day`,
  };
}

function healthNow(signs: HealthSigns): HealthVerdict {
  const { enabled, pausedSince, status, lastHour, lastMinutes, isOver, waiting, retrying, longestWait } = signs;
  if (!enabled) return { health: 'off', reason: 'Switched off' };
  if (pausedSince !== null)
    return { health: 'paused', reason: `Paused; ${waiting === 0 ? 'nothing waits' : many(waiting, 'message')}` };
  if (status?.held) return { health: 'failing', reason: 'Sending to this machine is not allowed, so its events wait' };
  if (status && status.breaker !== 'closed') {
    return { health: 'failing', reason: 'Millrace has paused sending: no attempt succeeded for a while' };
  }
  if (signs.pausedUrls > 0 && waiting > 0 && lastMinutes.attemptsFailed === 0) {
    return { health: 'degraded', reason: waitingForUrls(waiting, signs.pausedUrls) };
  }
  const tried = roundsOf(lastMinutes);
  if (tried > 0 && lastMinutes.processed < tried * FAILING_SHARE) {
    if (isOver) return { health: 'failing', reason: 'The last attempts failed, and nothing was tried since' };
    return {
      health: 'failing',
      reason:
        lastMinutes.processed === 0
          ? 'Nothing was delivered in the last 5 minutes'
          : `Only ${share(lastMinutes.processed, tried)} of what was tried in the last 5 minutes was delivered`,
    };
  }
  for (const state of ['stalled', 'overloaded'] as const) {
    const count = status?.urls.filter((url) => url[state]).length ?? 0;
    if (count > 0) return { health: 'degraded', reason: `${count} of ${status?.urls.length} URLs ${state}` };
  }
  if (longestWait !== null && longestWait > LAST_MINUTES && waiting > (isOver ? 0 : lastMinutes.processed)) {
    const minutes = Math.floor(longestWait / MINUTE);
    const why = `${many(waiting, 'event')}${retrying * 2 > waiting ? ', most of them to be tried again' : ''}`;
    return { health: 'degraded', reason: `${why}; the oldest has waited for ${minutes} minutes` };
  }
  if (roundsOf(lastHour) + lastHour.attempts === 0)
    return { health: 'idle', reason: 'Nothing was sent in the last hour' };
  const { attempts, attemptsFailed } = lastHour;
  if (attemptsFailed > attempts * (1 - HEALTHY_SHARE)) {
    return {
      health: 'degraded',
      reason: `${share(attempts - attemptsFailed, attempts)} of the last hour's attempts succeeded`,
    };
  }
  return { health: 'healthy', reason: null };
}

/** `20,000 messages wait` */
function many(waiting: number, thing: string): string {
  return `${waiting.toLocaleString('en')} ${thing}${waiting === 1 ? ' waits' : 's wait'}`;
}

function waitingForUrls(waiting: number, urls: number): string {
  return `${many(waiting, 'message')} for ${urls === 1 ? 'a URL that is paused' : `${urls} URLs that are paused`}`;
}
