import type { FoundEvent } from '../../../server/src/admin/contract.ts';
import { withQuery } from './client.ts';
import { paged } from './query.ts';

export interface EventFilter {
  readonly messageId?: string | undefined;
  readonly userId?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly type?: string | undefined;
  readonly event?: string | undefined;
  /** `prefix`: the words above by their beginning, upper and lower case alike. */
  readonly match?: 'exact' | 'prefix' | undefined;
  /** Bounds on receivedAt: from ≤ receivedAt < to. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface LiveFilter extends Pick<EventFilter, 'sourceId' | 'type' | 'event' | 'userId'> {
  /** Stands anywhere in the body, upper and lower case alike. */
  readonly text?: string | undefined;
}

export const eventsApi = {
  /** Newest first, also what no destination took. */
  search: (filter: EventFilter) => paged<FoundEvent>('/api/events', { ...filter }),
  /** Opens the stream of events as they come: `event` messages hold a `LiveEvent`, `rejected` ones a `LiveRejection`, `sampled` ones a `LiveRate`. */
  live: (filter: LiveFilter): EventSource => new EventSource(withQuery('/api/events/live', { ...filter })),
};
