import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useMemo } from 'react';
import type { Delivery } from '../../../../server/src/admin/contract.ts';
import { deliveriesApi } from '../../api/deliveries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { Time } from '../../components/time.tsx';
import { errorInWords, reasonInWords } from '../../format/reasons.ts';
import { MessageLink } from '../messages/message-link.tsx';
import { type DeliverySearch, filterOf } from './delivery-search.ts';

interface DeliveriesTableProps {
  readonly destinationId: string;
  readonly search: DeliverySearch;
  readonly empty: ReactNode;
}

const COLUMNS: readonly Column<Delivery>[] = [
  { header: 'Event', cell: (delivery) => <MessageLink {...delivery} /> },
  { header: 'State', cell: ({ state, reason }) => <StateBadge state={state} reason={reason} /> },
  { header: 'Why', cell: (delivery) => <Why {...delivery} /> },
  { header: 'Attempts', align: 'end', cell: ({ attempts }) => attempts.length },
  { header: 'User', cell: ({ userId }) => userId ?? '–' },
  { header: 'Received', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
];

/** Deliveries of one destination, page by page. */
export function DeliveriesTable({ destinationId, search, empty }: DeliveriesTableProps): ReactElement {
  const key = JSON.stringify(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: "the last hour" ends when it was chosen, so that pages fit together.
  const filter = useMemo(() => ({ destinationId, ...filterOf(search, Date.now()) }), [destinationId, key]);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    deliveriesApi.list(filter),
  );
  return (
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
  );
}

/** The reason, or what the last attempt met; when the next one is. */
function Why({ reason, attempts, nextAttemptAt }: Delivery): ReactElement {
  const last = attempts.at(-1);
  const met = last && (last.status === null ? errorInWords(last.error) : `Last answer: ${last.status}`);
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
