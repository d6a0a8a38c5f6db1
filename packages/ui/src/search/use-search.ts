import { useInfiniteQuery } from '@tanstack/react-query';
import type { SearchHit } from '../../../server/src/admin/contract.ts';
import { searchApi } from '../api/search.ts';
import { useReadOn } from '../components/read-on.ts';

/** The search goes on until so many more were found. */
const ENOUGH = 100;

export interface Search extends ReturnType<typeof useReadOn> {
  readonly hits: readonly SearchHit[];
  readonly error: Error | null;
  /** Messages that were looked through, and back to when. */
  readonly events: number;
  readonly back: string | null;
}

/** Looks for a text, further and further back, as long as this is shown. */
export function useSearch(q: string): Search {
  const list = useInfiniteQuery(searchApi.find(q));
  const pages = list.data?.pages ?? [];
  return {
    ...useReadOn(list, q, ENOUGH),
    hits: pages.flatMap(({ items }) => items),
    error: list.error,
    events: pages.reduce((sum, { searchedEvents }) => sum + searchedEvents, 0),
    back: pages.findLast(({ searchedTo }) => searchedTo !== null)?.searchedTo ?? null,
  };
}
