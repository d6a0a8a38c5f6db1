import type { LaneCounts } from '../core/lane.ts';
import type { Counts } from './contract.ts';

const NO_COUNTS: Counts = { accepted: 0, processed: 0, failed: 0, filtered: 0, waiting: 0, retrying: 0 };
const NAMES = Object.keys(NO_COUNTS) as (keyof Counts)[];

/** The counts of lanes together. */
export function sumCounts(lanes: readonly { readonly counts: LaneCounts }[]): Counts {
  const total = { ...NO_COUNTS };
  for (const { counts } of lanes) for (const name of NAMES) total[name] += counts[name];
  return total;
}
