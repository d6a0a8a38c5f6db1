import { infiniteQueryOptions } from '@tanstack/react-query';
import type {
  NewRegulation,
  Page,
  Regulation,
  RegulationDetails,
  RegulationReach,
  RegulationSubject,
} from '../../../server/src/admin/contract.ts';
import { call, get } from './client.ts';
import { change, edit, keyOf, live, paged, request, watched } from './query.ts';

const pathOf = (id: string): string => `/api/regulations/${encodeURIComponent(id)}`;

export interface SubjectFilter {
  /** Only users whose delete message is in this state. */
  readonly notice?: 'waiting' | 'delivered' | 'failed' | 'filtered';
}

export const regulationsApi = {
  /** Newest first. */
  list: () => live(paged<Regulation>('/api/regulations')),
  /** One request, without its users. It still changes after it finished, when failed messages are sent again. */
  one: (id: string) => watched<Regulation>(pathOf(id), { limit: 1 }),
  /** The users of a request with their receipts, in the order of the request. */
  subjects: (id: string, filter: SubjectFilter = {}) =>
    live(
      infiniteQueryOptions({
        queryKey: keyOf(pathOf(id), { ...filter }),
        queryFn: async ({ pageParam, signal }): Promise<Page<RegulationSubject>> => {
          const details = await get<RegulationDetails>(pathOf(id), { ...filter, cursor: pageParam }, signal);
          return { items: details.subjects, next: details.next };
        },
        initialPageParam: null as string | null,
        getNextPageParam: (page) => page.next,
      }),
    ),
  /** The address of the whole report, for a download. */
  reportUrl: (id: string): string => `${pathOf(id)}/report`,
  /** What a request would affect. Changes nothing. */
  reach: () =>
    request((body: NewRegulation) =>
      call<RegulationReach>('POST', '/api/regulations', { body: { ...body, dryRun: true } }),
    ),
  create: () => change((body: NewRegulation) => call<Regulation>('POST', '/api/regulations', { body })),
  /** Compacts for all requests; see compactedAt of each. */
  compact: () => change(() => call<void>('POST', '/api/regulations/compact')),
  remove: () => edit<object, void>('DELETE', pathOf),
};
