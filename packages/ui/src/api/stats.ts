import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Overview, SourceVolumes, Stats } from '../../../server/src/admin/contract.ts';
import { isLive, type Range } from '../format/range.ts';
import { get } from './client.ts';
import { live } from './live.ts';

const MINUTE = 60_000;

/** Of one source, or of everything. */
export interface StatsScope {
  readonly sourceId?: string;
}

export const statsApi = {
  /** With the statistics of a range, where one is given: all numbers are of one moment. */
  overview: (range: Range | null = null) =>
    queryOptions({
      queryKey: ['overview', range],
      queryFn: ({ signal }) => get<Overview>('/api/overview', { ...range }, signal),
      ...live('/api/overview', { ...range }),
      placeholderData: keepPreviousData,
    }),
  /** What each source sent in the last hour: for pictures beside numbers that are live. */
  volumes: () =>
    queryOptions({
      queryKey: ['stats', 'sources'],
      queryFn: ({ signal }) => get<SourceVolumes>('/api/stats/sources', {}, signal),
      refetchInterval: MINUTE,
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
