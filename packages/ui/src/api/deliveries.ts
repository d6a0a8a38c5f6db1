import type { Delivery } from '../../../server/src/admin/contract.ts';
import type { EventFilter } from './events.ts';
import { ofLog, paged } from './query.ts';

interface DeliveryFilter extends Pick<EventFilter, 'event' | 'userId' | 'from' | 'to'> {
  readonly destinationId?: string | undefined;
  readonly state?: Delivery['state'] | undefined;
}

export const deliveriesApi = {
  /** Newest first. A page may hold few items although more pages follow. */
  list: (filter: DeliveryFilter = {}) => ofLog(paged<Delivery>('/api/deliveries', { ...filter })),
};
