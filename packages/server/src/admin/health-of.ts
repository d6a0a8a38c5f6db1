import { roundsOf } from '../core/rounds.ts';
import type { RunnerStatus } from '../deliver/runner-world.ts';
import type { DestinationHealth, StatsNumbers } from './contract.ts';

type Rounds = Pick<StatsNumbers, 'processed' | 'failed' | 'retried' | 'attempts' | 'attemptsFailed'>;

/** What a destination's health is judged by. */
export interface HealthSigns {
  readonly enabled: boolean;
  /** Since when it stands still on demand, ISO 8601 UTC; null where it does not. */
  readonly pausedSince: string | null;
  /** Null when this process doesn't send to it. */
  readonly status:
    | (Pick<RunnerStatus, 'breaker'> & { readonly held?: boolean } & {
        readonly urls: readonly { readonly stalled: boolean }[];
      })
    | null;
  /** How many of its URLs stand still on demand while each message waits for them: of a destination that asks for all. */
  readonly pausedUrls: number;
  readonly lastHour: Rounds;
  /** The last 5 minutes in which something was tried, and whether they are over. */
  readonly lastMinutes: Rounds;
  readonly isOver: boolean;
  readonly waiting: number;
  /** The part of it that had an attempt. */
  readonly retrying: number;
  /** How long the oldest event waits, milliseconds; null when none waits. */
  readonly longestWait: number | null;
  /** Whether something holds the oldest, which will have been kept for as long as events are within a day. */
  readonly isAboutToBeLost: boolean;
}

export interface HealthVerdict {
  readonly health: DestinationHealth;
  /** In a few words; null when it is healthy. */
  readonly reason: string | null;
}

/** Share of the last hour's attempts that a healthy destination takes. */
const HEALTHY_SHARE = 0.99;
/** Below this share of the last minutes' rounds it fails. */
const FAILING_SHARE = 0.5;
const MINUTE = 60_000;
/** What is delivered in this time is no backlog. */
export const LAST_MINUTES: number = 5 * MINUTE;

/** How a destination is, as `DestinationHealth` defines it; the gravest that holds. */
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
          : `Only ${percent(lastMinutes.processed / tried)} of what was tried in the last 5 minutes was delivered`,
    };
  }
  const stalled = status?.urls.filter((url) => url.stalled).length ?? 0;
  if (stalled > 0) return { health: 'degraded', reason: `${stalled} of ${status?.urls.length} URLs stalled` };
  if (longestWait !== null && longestWait > LAST_MINUTES && waiting > (isOver ? 0 : lastMinutes.processed)) {
    const minutes = Math.floor(longestWait / MINUTE);
    const why = `${many(waiting, 'event')}${retrying * 2 > waiting ? ', most of them to be tried again' : ''}`;
    return { health: 'degraded', reason: `${why}; the oldest has waited for ${minutes} minutes` };
  }
  if (roundsOf(lastHour) === 0) return { health: 'idle', reason: 'Nothing was sent in the last hour' };
  if (shareOf(lastHour) < HEALTHY_SHARE) {
    return { health: 'degraded', reason: `${percent(shareOf(lastHour))} of the last hour's attempts succeeded` };
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

/** Of attempts, as the page counts them; of rounds where none is counted. */
function shareOf(rounds: Rounds): number {
  const { processed, attempts, attemptsFailed } = rounds;
  return attempts > 0 ? (attempts - attemptsFailed) / attempts : processed / roundsOf(rounds);
}

/** Rounded down: a share below 99% must not read as 99%. */
function percent(share: number): string {
  return `${Math.floor(share * 1000) / 10}%`;
}
