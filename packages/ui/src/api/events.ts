import type { FoundEvent } from '../../../server/src/admin/contract.ts';
import { withQuery } from './client.ts';
import { paged } from './query.ts';

export interface EventFilter {
  readonly messageId?: string;
  readonly userId?: string;
  readonly sourceId?: string;
  readonly type?: string;
  readonly event?: string;
  /** `prefix`: the words above by their beginning, upper and lower case alike. */
  readonly match?: 'exact' | 'prefix';
  /** Bounds on receivedAt: from ≤ receivedAt < to. */
  readonly from?: string;
  readonly to?: string;
}

export interface LiveFilter {
  readonly sourceId?: string;
  readonly type?: string;
  readonly event?: string;
  readonly userId?: string;
  /** Stands anywhere in the body, upper and lower case alike. */
  readonly text?: string;
}

export const eventsApi = {
  /** Newest first, also what no destination took. */
  search: (filter: EventFilter) => paged<FoundEvent>('/api/events', { ...filter }),
  /** Opens the stream of events as they come: `event` messages hold a `LiveEvent`, `rejected` ones a `LiveRejection`, `sampled` ones a `LiveRate`. */
  live: (filter: LiveFilter): EventSource => new EventSource(withQuery('/api/events/live', { ...filter })),
};
