/**
 * Latencies as counts by bucket. Each millisecond below 10 has a bucket; each further bucket is a fifth longer than the one
 * before. So a latency read from the counts is within 10 % of the counted one, from 0 ms to 8 days; longer ones count as 8 days.
 */
export const LATENCY_BUCKETS = 110;

const EXACT = 10;
const GROWTH = 1.2;
const LOG_GROWTH = Math.log(GROWTH);

/** The bucket of a latency in milliseconds. A negative one, from a clock that was set back, counts as 0. */
export function latencyBucket(ms: number): number {
  if (!(ms >= 1)) return 0;
  if (ms < EXACT) return Math.floor(ms);
  return Math.min(LATENCY_BUCKETS - 1, EXACT + Math.floor(Math.log(ms / EXACT) / LOG_GROWTH));
}

/** The latency that a share `q` (0 to 1) of the counted ones did not exceed, in whole milliseconds; null where none was counted. */
export function latencyQuantile(counts: Uint32Array, q: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(q * total));
  let bucket = 0;
  for (let seen = counts[0] ?? 0; seen < rank; seen += counts[bucket] ?? 0) bucket++;
  return bucket < EXACT ? bucket : Math.round(EXACT * GROWTH ** (bucket - EXACT + 0.5));
}
