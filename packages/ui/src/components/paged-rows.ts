import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { Page } from '../../../server/src/admin/contract.ts';
import type { DataTableProps } from './data-table.tsx';

type Paged<Row> = Required<Pick<DataTableProps<Row>, 'rows' | 'failedBelow' | 'onRetry' | 'onMore' | 'loadingMore'>>;

/** A list that is read page by page, as a DataTable takes it: `<DataTable {...pagedRows(list)} …>`. */
export function pagedRows<Row>(
  list: UseInfiniteQueryResult<InfiniteData<Page<Row>>>,
): Paged<Row> & { readonly error: Error | null } {
  return {
    rows: list.data?.pages.flatMap(({ items }) => items),
    error: list.error,
    failedBelow: list.isFetchNextPageError,
    onRetry: () => void (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch()),
    onMore: list.hasNextPage ? () => void list.fetchNextPage() : undefined,
    loadingMore: list.isFetchingNextPage,
  };
}
