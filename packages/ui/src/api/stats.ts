import { keepPreviousData } from '@tanstack/react-query';
import type { Overview, SourceVolumes, Stats } from '../../../server/src/admin/contract.ts';
import { isLive, type Range } from '../format/range.ts';
import { asked, watched } from './query.ts';

const MINUTE = 60_000;

export const statsApi = {
  /** The overview, with the statistics of a range if one is given. All numbers are of one moment. */
  overview: (range: Range | null = null) => ({
    ...watched<Overview>('/api/overview', { ...range }),
    placeholderData: keepPreviousData,
  }),
  /** What each source sent in the last hour, for the small charts beside live numbers. */
  volumes: () => ({ ...asked<SourceVolumes>('/api/stats/sources'), refetchInterval: MINUTE }),
  /** The old data stays on screen until the new range is loaded. */
  over: (range: Range, sourceId: string) => ({
    ...(isLive(range) ? watched : asked)<Stats>('/api/stats', { ...range, sourceId }),
    placeholderData: keepPreviousData,
  }),
};
