import type { FoundEvent, Problem } from '../../../server/src/admin/contract.ts';
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

const LIVE = '/api/events/live';

export const eventsApi = {
  /** Newest first, also what no destination took. */
  search: (filter: EventFilter) => paged<FoundEvent>('/api/events', { ...filter }),
  /** Opens the stream of events as they come: `event` messages hold a `LiveEvent`, `rejected` ones a `LiveRejection`, `sampled` ones a `LiveRate`. */
  live: (filter: LiveFilter): EventSource => new EventSource(withQuery(LIVE, { ...filter })),
  /** Why the service refuses this filter of a stream, which a stream does not tell; null where it takes it. */
  refusalOfLive: async (filter: LiveFilter, signal: AbortSignal): Promise<string | null> => {
    const response = await fetch(withQuery(LIVE, { ...filter }), { signal });
    if (response.status === 400) return ((await response.json()) as Problem).detail;
    await response.body?.cancel();
    return null;
  },
};
