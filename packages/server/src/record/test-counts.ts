import { type LaneCounts, sumCounts } from '../core/lane.ts';
import type { DeliveryStore } from './contract.ts';

/** The counts of all lanes of a destination together. */
export async function countsOf(
  { deliveries }: { readonly deliveries: Pick<DeliveryStore, 'counts'> },
  destinationId: string,
): Promise<LaneCounts> {
  return sumCounts(await deliveries.counts([destinationId]));
}
