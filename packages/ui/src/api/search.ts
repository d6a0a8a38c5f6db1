import type { SearchHit, SearchPage } from '../../../server/src/admin/contract.ts';
import { ofLog, paged } from './query.ts';

/** Most messages that a page requests. */
const LIMIT = 50;

export const searchApi = {
  /**
   * First the things found, then messages, newest first. Each further page searches older messages. `word` finds messages that
   * have the text as a word of its own, `part` also those that have it in a longer one.
   */
  find: (q: string, match: 'word' | 'part') => ({
    ...ofLog(paged<SearchHit, SearchPage>('/api/search', { q, match, limit: LIMIT })),
    enabled: q !== '',
    // A page is not searched again while the search is open, and is dropped when the search closes.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  }),
};
