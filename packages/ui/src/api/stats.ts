import { keepPreviousData } from '@tanstack/react-query';
import type { Overview, SourceVolumes, Stats } from '../../../server/src/admin/contract.ts';
import { isLive, type Range } from '../format/range.ts';
import { asked, watched } from './query.ts';

const MINUTE = 60_000;

export const statsApi = {
  /** With the statistics of a range, where one is given: all numbers are of one moment. */
  overview: (range: Range | null = null) => ({
    ...watched<Overview>('/api/overview', { ...range }),
    placeholderData: keepPreviousData,
  }),
  /** What each source sent in the last hour: for pictures beside numbers that are live. */
  volumes: () => ({ ...asked<SourceVolumes>('/api/stats/sources'), refetchInterval: MINUTE }),
  /** What is shown stays until the new range has come. */
  over: (range: Range, sourceId: string) => ({
    ...(isLive(range) ? watched : asked)<Stats>('/api/stats', { ...range, sourceId }),
    placeholderData: keepPreviousData,
  }),
};
