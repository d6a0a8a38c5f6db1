import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SearchHit } from '../../../server/src/admin/contract.ts';
import { searchApi } from '../api/search.ts';

/** The search goes on by itself until so many more were found. */
const ENOUGH = 100;

export interface Search {
  readonly hits: readonly SearchHit[];
  readonly error: Error | null;
  /** Messages that were looked through, and back to when. */
  readonly events: number;
  readonly back: string | null;
  /** `waiting`: it found so much that it goes on only when it is told. */
  readonly state: 'looking' | 'waiting' | 'over';
  goOn(): void;
}

/** Looks for a text, further and further back, as long as this is shown. */
export function useSearch(q: string): Search {
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(searchApi.find(q));
  const [allowed, allow] = useState({ q, hits: ENOUGH });
  const pages = data?.pages ?? [];
  const hits = pages.flatMap(({ items }) => items);
  const isEnough = hits.length >= (allowed.q === q ? allowed.hits : ENOUGH);
  const isNext = hasNextPage && !isFetching && !isEnough && error === null;
  useEffect(() => {
    if (isNext) void fetchNextPage();
  }, [isNext, fetchNextPage]);
  return {
    hits,
    error,
    events: pages.reduce((sum, { searchedEvents }) => sum + searchedEvents, 0),
    back: pages.findLast(({ searchedTo }) => searchedTo !== null)?.searchedTo ?? null,
    state: isFetching || isNext ? 'looking' : hasNextPage ? 'waiting' : 'over',
    goOn() {
      allow({ q, hits: hits.length + ENOUGH });
      if (error !== null) void fetchNextPage();
    },
  };
}
