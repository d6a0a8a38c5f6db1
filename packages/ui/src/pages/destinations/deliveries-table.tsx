import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useMemo } from 'react';
import type { Attempt, Delivery } from '../../../../server/src/admin/contract.ts';
import { deliveriesApi } from '../../api/deliveries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ListFreshness } from '../../components/list-freshness.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { Time } from '../../components/time.tsx';
import { errorInWords, reasonInWords } from '../../format/reasons.ts';
import { MessageLink } from '../messages/message-link.tsx';
import { toneOf } from '../messages/tone-of.ts';
import { type DeliverySearch, filterOf } from './delivery-search.ts';

interface DeliveriesTableProps {
  readonly destinationId: string;
  readonly search: DeliverySearch;
  readonly empty: ReactNode;
}

const COLUMNS: readonly Column<Delivery>[] = [
  { header: 'Event', cell: (delivery) => <MessageLink {...delivery} /> },
  { header: 'State', cell: ({ state, reason }) => <StateBadge state={state} reason={reason} /> },
  { header: 'Outcome', cell: (delivery) => <Outcome {...delivery} /> },
  { header: 'Attempts', align: 'end', cell: ({ attempts }) => attempts.length },
  { header: 'User', cell: ({ userId }) => userId ?? '–' },
  { header: 'Received', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
];

/** Deliveries of one destination, page by page. */
export function DeliveriesTable({ destinationId, search, empty }: DeliveriesTableProps): ReactElement {
  const key = JSON.stringify(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: "the last hour" begins when it was chosen, so that pages fit together.
  const filter = useMemo(() => ({ destinationId, ...filterOf(search, Date.now()) }), [destinationId, key]);
  const { data, dataUpdatedAt, error, refetch, isRefetching, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(deliveriesApi.list(filter));
  return (
    <Stack gap="xs">
      <ListFreshness at={dataUpdatedAt} busy={isRefetching && !isFetchingNextPage} onRefresh={() => void refetch()} />
      <DataTable
        label="Deliveries"
        columns={COLUMNS}
        rows={data?.pages.flatMap(({ items }) => items)}
        rowKey={({ sourceId, messageId }) => `${sourceId} ${messageId}`}
        error={error}
        onRetry={() => void refetch()}
        empty={empty}
        onMore={hasNextPage ? () => void fetchNextPage() : undefined}
        loadingMore={isFetchingNextPage}
      />
    </Stack>
  );
}

/** The reason and what was met, or how many URLs took it; when the next attempt is. */
function Outcome({ state, reason, attempts, nextAttemptAt }: Delivery): ReactElement {
  const met = state === 'processed' ? taken(attempts) : lastMet(attempts.at(-1));
  return (
    <>
      {reason !== null && <Text size="sm">{reasonInWords(reason)}</Text>}
      {met && (
        <Text size={reason === null ? 'sm' : 'xs'} c="dimmed">
          {met}
        </Text>
      )}
      {nextAttemptAt !== null && (
        <Text size="xs" c="dimmed">
          next attempt <Time at={nextAttemptAt} />
        </Text>
      )}
    </>
  );
}

function taken(attempts: readonly Attempt[]): string {
  const urls = new Set(attempts.map(({ url }) => url));
  const took = new Set(attempts.filter((attempt) => toneOf(attempt) === 'good').map(({ url }) => url));
  return `Taken by ${took.size} of ${urls.size} ${urls.size === 1 ? 'URL' : 'URLs'}`;
}

function lastMet(attempt: Attempt | undefined): string | null {
  if (!attempt) return null;
  return attempt.status === null ? errorInWords(attempt.error) : `Last answer: ${attempt.status}`;
}
