import type { Stats, StatsBucket } from '../../../server/src/admin/contract.ts';
import { serviceNow } from '../api/service-clock.ts';

/** Steps longer than this many seconds count as long. */
const LONG_STEP = 300;

/**
 * Leaves out a last short bucket that has not ended, because it would look like a fall; it stays if the bucket before it
 * is empty. A long bucket stays, also before its end.
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
