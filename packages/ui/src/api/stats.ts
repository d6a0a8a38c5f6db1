import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Overview, Stats } from '../../../server/src/admin/contract.ts';
import { boundsOf, isLive, type Range } from '../format/range.ts';
import { get } from './client.ts';
import { LIVE } from './query.ts';

/** Of one source, or of everything. */
export interface StatsScope {
  readonly sourceId?: string;
}

export const statsApi = {
  /** With the statistics of a range, where one is given: all numbers are of one moment. */
  overview: (range: Range | null = null) =>
    queryOptions({
      queryKey: ['overview', range],
      queryFn: ({ signal }) => get<Overview>('/api/overview', range ? boundsOf(range, Date.now()) : {}, signal),
      refetchInterval: LIVE,
      placeholderData: keepPreviousData,
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
