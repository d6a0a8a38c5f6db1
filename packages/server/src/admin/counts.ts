import type { LaneCounts } from '../core/lane.ts';
import type { Counts } from './contract.ts';

const NO_COUNTS: Counts = { accepted: 0, processed: 0, failed: 0, filtered: 0, waiting: 0, retrying: 0 };

/** The counts of lanes together. */
export function sumCounts(lanes: readonly { readonly counts: LaneCounts }[]): Counts {
  const total = { ...NO_COUNTS };
  for (const { counts } of lanes) {
    total.accepted += counts.accepted;
    total.processed += counts.processed;
    total.failed += counts.failed;
    total.filtered += counts.filtered;
    total.waiting += counts.waiting;
    total.retrying += counts.retrying;
  }
  return total;
}
