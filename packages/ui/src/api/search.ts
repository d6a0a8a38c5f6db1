import type { SearchHit, SearchPage } from '../../../server/src/admin/contract.ts';
import { ofLog, paged } from './query.ts';

/** Most messages that a page requests. */
const LIMIT = 50;

export const searchApi = {
  /** First the things found, then messages, newest first. Each further page searches older messages. */
  find: (q: string) => ({
    ...ofLog(paged<SearchHit, SearchPage>('/api/search', { q, limit: LIMIT })),
    enabled: q !== '',
    // A page is not searched again while the search is open, and is dropped when the search closes.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  }),
};
