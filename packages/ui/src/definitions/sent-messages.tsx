import { Group, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { EventSummary } from '../../../server/src/admin/contract.ts';
import { eventsApi } from '../api/events.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ListFreshness } from '../components/list-freshness.tsx';
import { pagedRows } from '../components/paged-rows.ts';
import { PersonLink } from '../components/person-link.tsx';
import { Time } from '../components/time.tsx';
import { MessageLink } from '../pages/messages/message-link.tsx';
import type { Defined } from './kinds.ts';

const COLUMNS: readonly Column<EventSummary>[] = [
  { header: 'Message', cell: (message) => <MessageLink {...message} /> },
  { header: 'Person', cell: ({ userId }) => (userId === null ? '–' : <PersonLink id={userId} userId={userId} />) },
  { header: 'Sent', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
];

/** Its identify calls, newest first; each leads to what became of it at every destination. */
export function SentMessages({ of: { sourceId, sentAt } }: { readonly of: Defined }): ReactElement {
  const list = useInfiniteQuery(eventsApi.search({ sourceId }));
  return (
    <>
      <Group justify="space-between" mb="xs">
        <Text c="dimmed">
          Its identify calls are messages like any other:{' '}
          <AnchorLink to="/messages" search={{ source: sourceId }} td="underline">
            search them
          </AnchorLink>
          .
        </Text>
        <ListFreshness list={list} />
      </Group>
      <DataTable
        label="Sent messages"
        columns={COLUMNS}
        {...pagedRows(list)}
        rowKey={({ messageId }) => messageId}
        empty={
          <EmptyState
            icon={IconSend}
            title={sentAt === null ? 'Nothing was sent yet' : 'Nothing of what was sent is kept any more'}
          >
            A call is sent for each person once, and from then on when something changes for them.
          </EmptyState>
        }
      />
    </>
  );
}
