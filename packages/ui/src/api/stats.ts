import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Overview, Stats } from '../../../server/src/admin/contract.ts';
import { isLive, type Range } from '../format/range.ts';
import { get } from './client.ts';
import { live } from './live.ts';

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
      ...live('/api/overview'),
    }),
  /** What is shown stays until the new range has come. */
  over: (range: Range, scope: StatsScope = {}) =>
    queryOptions({
      queryKey: ['stats', range, scope],
      queryFn: ({ signal }) => get<Stats>('/api/stats', { ...range, ...scope }, signal),
      ...(isLive(range) && live('/api/stats', { ...range, ...scope })),
      placeholderData: keepPreviousData,
    }),
};
