import type { Stats, StatsBucket } from '../../../server/src/admin/contract.ts';
import { serviceNow } from '../api/service-clock.ts';

/** Seconds. */
const LONG_STEP = 300;

/**
 * A short bucket that is not over is left out, because it would look like a fall, unless it is the first in which anything
 * happened. Of longer ones the last is worth seeing.
 *
 * @param now milliseconds since the epoch.
 */
export function endedBuckets({ buckets, step }: Stats, now: number = serviceNow()): readonly StatsBucket[] {
  const [before, last] = buckets.slice(-2);
  if (!last || !before || step > LONG_STEP || Date.parse(last.at) + step * 1_000 <= now) return buckets;
  return isEmpty(before) ? buckets : buckets.slice(0, -1);
}

function isEmpty({ accepted, processed, failed, filtered, retried }: StatsBucket): boolean {
  return accepted + processed + failed + filtered + retried === 0;
}
