import type { SearchHit, SearchPage } from '../../../server/src/admin/contract.ts';
import { paged } from './query.ts';

/** Messages that a page asks for at most. */
const LIMIT = 50;

export const searchApi = {
  /** What was found first, then messages, the newest first; each page looks through older ones. */
  find: (q: string) => ({
    ...paged<SearchHit, SearchPage>('/api/search', { q, limit: LIMIT }),
    enabled: q !== '',
    // A page that was looked through is not looked through again, and nothing of it is kept when the search is closed.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  }),
};
