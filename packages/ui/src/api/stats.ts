import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Overview, Stats } from '../../../server/src/admin/contract.ts';
import { boundsOf, isLive, type Range } from '../format/range.ts';
import { get } from './client.ts';
import { LIVE } from './query.ts';

/** Of one destination, of one source, or of everything. */
export interface StatsScope {
  readonly destinationId?: string;
  readonly sourceId?: string;
}

export const statsApi = {
  overview: () =>
    queryOptions({
      queryKey: ['overview'],
      queryFn: ({ signal }) => get<Overview>('/api/overview', {}, signal),
      refetchInterval: LIVE,
    }),
  /** What is shown stays until the new range has come. */
  over: (range: Range, scope: StatsScope = {}) =>
    queryOptions({
      queryKey: ['stats', range, scope],
      queryFn: ({ signal }) => get<Stats>('/api/stats', { ...boundsOf(range, Date.now()), ...scope }, signal),
      refetchInterval: isLive(range) ? LIVE : false,
      placeholderData: keepPreviousData,
    }),
};
