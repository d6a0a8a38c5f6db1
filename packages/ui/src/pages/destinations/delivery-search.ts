import type { Delivery } from '../../../../server/src/admin/contract.ts';
import type { DeliveryFilter } from '../../api/deliveries.ts';
import { openBoundsOf, type RangeSearch, rangeFrom } from '../../format/range.ts';

/** Filters of deliveries as they stand in an address. */
export interface DeliverySearch extends RangeSearch {
  readonly state?: string;
  readonly event?: string;
  readonly userId?: string;
}

export const STATES: readonly Delivery['state'][] = ['processed', 'failed', 'filtered', 'retrying'];

export function isState(text: string | undefined): text is Delivery['state'] {
  return STATES.some((state) => state === text);
}

/** As the API takes them. */
export function filterOf(search: DeliverySearch, now: number): Omit<DeliveryFilter, 'destinationId'> {
  const { state, event, userId } = search;
  const range = rangeFrom(search);
  return { state: isState(state) ? state : undefined, event, userId, ...(range && openBoundsOf(range, now)) };
}
