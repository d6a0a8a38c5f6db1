import type { Stats, StatsBucket } from '../../../../server/src/admin/contract.ts';

/** A minute that is not over is left out: it would look like a fall. Of longer buckets the last is worth seeing. */
export function endedBuckets({ buckets, step, to }: Stats): readonly StatsBucket[] {
  return step > 60 ? buckets : buckets.filter(({ at }) => Date.parse(at) + step * 1_000 <= Date.parse(to));
}
