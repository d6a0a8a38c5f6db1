import { Stack } from '@mantine/core';
import { IconMailSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import type { EventSummary } from '../../../../server/src/admin/contract.ts';
import { eventsApi } from '../../api/events.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListFreshness } from '../../components/list-freshness.tsx';
import { SourceName } from '../../components/source-name.tsx';
import { Time } from '../../components/time.tsx';
import { MessageLink } from './message-link.tsx';
import { filterOf, type MessageSearch } from './message-search.ts';

const COLUMNS: readonly Column<EventSummary>[] = [
  { header: 'Message', cell: (message) => <MessageLink {...message} /> },
  { header: 'Source', cell: ({ sourceId }) => <SourceName id={sourceId} /> },
  { header: 'User', cell: ({ userId }) => userId ?? '–' },
  { header: 'Received', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
];

/** What was accepted and fits, newest first. */
export function MessagesTable({ search }: { readonly search: MessageSearch }): ReactElement {
  const key = JSON.stringify(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: "the last hour" begins when it was chosen, so that pages fit together.
  const filter = useMemo(() => filterOf(search, Date.now()), [key]);
  const { data, dataUpdatedAt, error, refetch, isRefetching, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(eventsApi.search(filter));
  return (
    <Stack gap="xs">
      <ListFreshness at={dataUpdatedAt} busy={isRefetching && !isFetchingNextPage} onRefresh={() => void refetch()} />
      <DataTable
        label="Messages"
        columns={COLUMNS}
        rows={data?.pages.flatMap(({ items }) => items)}
        rowKey={({ sourceId, messageId }) => `${sourceId} ${messageId}`}
        error={error}
        onRetry={() => void refetch()}
        empty={<Nothing isNarrowed={Object.keys(search).length > 0} />}
        onMore={hasNextPage ? () => void fetchNextPage() : undefined}
        loadingMore={isFetchingNextPage}
      />
    </Stack>
  );
}

function Nothing({ isNarrowed }: { readonly isNarrowed: boolean }): ReactElement {
  if (!isNarrowed) {
    return (
      <EmptyState icon={IconMailSearch} title="No message yet">
        Every call that is accepted is listed here, newest first, also when no destination takes it.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconMailSearch} title="No message fits">
      Ids and names are compared whole, upper and lower case included. A call that was refused has no message: the page
      of its source lists what was refused last, and why. Messages older than the retention are gone.
    </EmptyState>
  );
}
