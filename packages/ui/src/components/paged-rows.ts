import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { Page } from '../../../server/src/admin/contract.ts';

interface PagedRows<Row> {
  readonly rows: Row[] | undefined;
  readonly error: Error | null;
  readonly failedBelow: boolean;
  readonly onRetry: () => void;
  readonly onMore: (() => void) | undefined;
  readonly loadingMore: boolean;
}

/** A list that is read page by page, as a DataTable takes it: `<DataTable {...pagedRows(list)} …>`. */
export function pagedRows<Row>(list: UseInfiniteQueryResult<InfiniteData<Page<Row>>>): PagedRows<Row> {
  return {
    rows: list.data?.pages.flatMap(({ items }) => items),
    error: list.error,
    failedBelow: list.isFetchNextPageError,
    onRetry: () => void (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch()),
    onMore: list.hasNextPage ? () => void list.fetchNextPage() : undefined,
    loadingMore: list.isFetchingNextPage,
  };
}
