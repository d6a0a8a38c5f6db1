import type { LaneCounts } from '../core/lane.ts';
import type { DeliveryStore } from './contract.ts';

export const NO_COUNTS: LaneCounts = { accepted: 0, processed: 0, failed: 0, filtered: 0, waiting: 0, retrying: 0 };

/** The counts of all lanes of a destination together. */
export async function countsOf(
  { deliveries }: { readonly deliveries: Pick<DeliveryStore, 'counts'> },
  destinationId: string,
): Promise<LaneCounts> {
  const sum = { ...NO_COUNTS };
  for (const { counts } of await deliveries.counts([destinationId])) {
    for (const key of Object.keys(sum) as (keyof LaneCounts)[]) sum[key] += counts[key];
  }
  return sum;
}
