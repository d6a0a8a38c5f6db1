import type { FoundEvent, Problem } from '../../../server/src/admin/contract.ts';
import { withQuery } from './client.ts';
import { ofLog, paged } from './query.ts';

export interface EventFilter {
  readonly messageId?: string | undefined;
  readonly userId?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly type?: string | undefined;
  readonly event?: string | undefined;
  /** `prefix`: the fields above match by their beginning, in upper or lower case. */
  readonly match?: 'exact' | 'prefix' | undefined;
  /** Bounds on receivedAt: from ≤ receivedAt < to. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface LiveFilter extends Pick<EventFilter, 'sourceId' | 'type' | 'event' | 'userId'> {
  /** Text anywhere in the body, in upper or lower case. */
  readonly text?: string | undefined;
}

const LIVE = '/api/events/live';

export const eventsApi = {
  /** Newest first. Also finds events that no destination took. */
  search: (filter: EventFilter) => ofLog(paged<FoundEvent>('/api/events', { ...filter })),
  /**
   * The path of the stream of new events: `event` messages hold a `LiveEvent`, `rejected` ones a `LiveRejection`,
   * `sampled` ones, once a second, a `LiveRate`.
   */
  live: (filter: LiveFilter): string => withQuery(LIVE, { ...filter }),
  /** Why the service refuses a filter of the live stream, or null. A request of its own, because an EventSource hides the reason. */
  refusalOfLive: async (filter: LiveFilter, signal: AbortSignal): Promise<string | null> => {
    const response = await fetch(withQuery(LIVE, { ...filter }), { signal });
    if (response.status === 400) return ((await response.json()) as Problem).detail;
    await response.body?.cancel();
    return null;
  },
};
