import type { Delivery } from '../../../server/src/admin/contract.ts';
import { paged } from './query.ts';

export interface DeliveryFilter {
  readonly destinationId?: string | undefined;
  readonly state?: Delivery['state'] | undefined;
  readonly event?: string | undefined;
  readonly userId?: string | undefined;
  /** Bounds on receivedAt: from ≤ receivedAt < to. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const deliveriesApi = {
  /** Newest first. A page may hold few items and still have a next one. */
  list: (filter: DeliveryFilter = {}) => paged<Delivery>('/api/deliveries', { ...filter }),
};
