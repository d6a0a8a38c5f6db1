import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Page } from '../../../server/src/admin/contract.ts';

interface ReadOn {
  /** `waiting`: there are more pages, but reading stopped at a limit or an error; `goOn` continues. */
  readonly state: 'reading' | 'waiting' | 'over';
  goOn(): void;
}

/** Loads further pages of a list until it has `enough` more rows, or a limit of pages is reached. `of` identifies the list. */
export function useReadOn(
  { data, error, hasNextPage, isFetching, fetchNextPage }: UseInfiniteQueryResult<InfiniteData<Page<unknown>>>,
  of: string,
  enough: number,
  mostPages: number = Number.POSITIVE_INFINITY,
): ReadOn {
  const rows = data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
  const [allowed, allow] = useState({ of, rows: enough });
  const isEnough = rows >= (allowed.of === of ? allowed.rows : enough);
  const isNext = hasNextPage && !isFetching && !isEnough && error === null && (data?.pages.length ?? 0) < mostPages;
  useEffect(() => {
    if (isNext) void fetchNextPage();
  }, [isNext, fetchNextPage]);
  return {
    state: isFetching || isNext ? 'reading' : hasNextPage ? 'waiting' : 'over',
    goOn() {
      allow({ of, rows: rows + enough });
      if (error !== null) void fetchNextPage();
    },
  };
}
