import type { DestinationHealth, StatsNumbers } from './contract.ts';
import type { SendingStatus } from './deps.ts';

/** What a destination's health is judged by. */
export interface HealthSigns {
  readonly enabled: boolean;
  /** Null when this process doesn't send to it. */
  readonly status:
    | (Pick<SendingStatus, 'breaker'> & { readonly held?: boolean } & {
        readonly urls: readonly { readonly stalled: boolean }[];
      })
    | null;
  readonly lastHour: Pick<StatsNumbers, 'processed' | 'failed' | 'retried'>;
  /** The last 5 minutes. */
  readonly lastMinutes: Pick<StatsNumbers, 'processed' | 'failed' | 'retried'>;
}

export interface HealthVerdict {
  readonly health: DestinationHealth;
  /** In a few words; null when it is healthy. */
  readonly reason: string | null;
}

/** Share of the last hour's rounds that a healthy destination takes. */
const HEALTHY_SHARE = 0.99;

/** How a destination is, as `DestinationHealth` defines it; the gravest that holds. */
export function healthOf({ enabled, status, lastHour, lastMinutes }: HealthSigns): HealthVerdict {
  if (!enabled) return { health: 'off', reason: 'Switched off' };
  if (status?.held) return { health: 'failing', reason: 'It waits until sending to this machine is allowed again' };
  if (status && status.breaker !== 'closed') return { health: 'failing', reason: 'The breaker is open' };
  if (lastMinutes.processed === 0 && tried(lastMinutes) > 0) {
    return { health: 'failing', reason: 'Nothing was delivered in the last 5 minutes' };
  }
  const stalled = status?.urls.filter((url) => url.stalled).length ?? 0;
  if (stalled > 0) return { health: 'degraded', reason: `${stalled} of ${status?.urls.length} URLs stalled` };
  const rounds = tried(lastHour);
  if (rounds === 0) return { health: 'idle', reason: 'Nothing was sent in the last hour' };
  if (lastHour.processed < rounds * HEALTHY_SHARE) {
    // Cut, not rounded: what is less than 99 % must not read as 99 %.
    const percent = Math.floor((lastHour.processed / rounds) * 1000) / 10;
    return { health: 'degraded', reason: `${percent} % of the last hour's rounds succeeded` };
  }
  return { health: 'healthy', reason: null };
}

function tried({ processed, failed, retried }: HealthSigns['lastHour']): number {
  return processed + failed + retried;
}
