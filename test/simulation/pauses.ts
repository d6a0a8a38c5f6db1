import type { Destination } from '../../packages/server/src/core/destination.ts';
import { isPaused, pausedFor } from '../../packages/server/src/core/hold.ts';

/** A destination as it was from a time on. */
export interface Version {
  readonly from: number;
  readonly destination: Destination | undefined;
}

/**
 * For how long a destination as a whole stood still since a time, at least: it is noted when that is asked for, and takes effect
 * when it is stored.
 */
export function leastPaused(versions: readonly Version[], since: number, now: number): number {
  const destination = versions.at(-1)?.destination;
  return destination ? Math.min(seenFor(versions, since, now, isPaused), pausedFor([destination], since, now)) : 0;
}

/** The same at most, and also for a URL of it. */
export function mostPaused(versions: readonly Version[], since: number, now: number): number {
  const destination = versions.at(-1)?.destination;
  const all = destination ? [destination, ...destination.webhooks] : [];
  const seen = seenFor(versions, since, now, (one) => [one, ...one.webhooks].some(isPaused));
  return Math.max(seen, pausedFor(all, since, now));
}

/** For how long it was seen so. */
function seenFor(versions: readonly Version[], since: number, now: number, so: (one: Destination) => boolean): number {
  return versions.reduce((sum, { from, destination }, i) => {
    if (!destination || !so(destination)) return sum;
    return sum + Math.max(0, (versions[i + 1]?.from ?? now) - Math.max(from, since));
  }, 0);
}
