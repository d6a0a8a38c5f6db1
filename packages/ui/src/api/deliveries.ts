import type { Delivery } from '../../../server/src/admin/contract.ts';
import { paged } from './query.ts';

export interface DeliveryFilter {
  readonly destinationId?: string;
  readonly state?: Delivery['state'];
  readonly event?: string;
  readonly userId?: string;
  /** Bounds on receivedAt: from ≤ receivedAt < to. */
  readonly from?: string;
  readonly to?: string;
}

export const deliveriesApi = {
  /** Newest first. A page may hold few items and still have a next one. */
  list: (filter: DeliveryFilter = {}) => paged<Delivery>('/api/deliveries', { ...filter }),
};
