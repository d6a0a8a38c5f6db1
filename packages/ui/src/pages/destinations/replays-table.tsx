import { Stack, Text, Title } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Replay } from '../../../../server/src/admin/contract.ts';
import { replaysApi } from '../../api/replays.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { count, perSecond } from '../../format/number.ts';
import { StopReplay } from './stop-replay.tsx';

const TONES: Readonly<Record<Replay['status'], Tone>> = { running: 'busy', stopped: 'off', done: 'good' };

const COLUMNS: readonly Column<Replay>[] = [
  { header: 'Started', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { header: 'What', cell: (replay) => <What {...replay} /> },
  { header: 'State', cell: ({ status }) => <StatusBadge tone={TONES[status]}>{status}</StatusBadge> },
  { header: 'Sent again', align: 'end', cell: ({ done, total }) => `${count(done)} of ${count(total)}` },
  { header: 'Rate', align: 'end', cell: (replay) => perSecond(replay.perSecond) },
  { header: 'Stop', align: 'end', cell: ({ id, status }) => (status === 'running' ? <StopReplay id={id} /> : '–') },
];

/** Replays of one destination, newest first. */
export function ReplaysTable({ destinationId }: { readonly destinationId: string }): ReactElement {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(replaysApi.list());
  return (
    <Stack component="section" gap="xs" aria-labelledby="replays">
      <Title order={2} id="replays">
        Replays
      </Title>
      <DataTable
        label="Replays"
        columns={COLUMNS}
        rows={data?.pages.flatMap(({ items }) => items).filter((replay) => replay.destinationId === destinationId)}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon={IconRepeat} title="No replay yet">
            Messages that were sent again are counted here.
          </EmptyState>
        }
        onMore={hasNextPage ? () => void fetchNextPage() : undefined}
        loadingMore={isFetchingNextPage}
      />
    </Stack>
  );
}

function What({ state, filter, messageId, from, to }: Replay): ReactElement {
  if (messageId !== null) return <>One message, {messageId}</>;
  const narrowed = [
    filter.event !== null && `event ${filter.event}`,
    filter.userId !== null && `user ${filter.userId}`,
  ];
  return (
    <>
      {[state === 'failed' ? 'What failed' : 'Everything', ...narrowed.filter((part) => part !== false)].join(', ')}
      {(from !== null || to !== null) && (
        <Text size="xs" c="dimmed">
          {from !== null && (
            <>
              from <Time at={from} absolute />{' '}
            </>
          )}
          {to !== null && (
            <>
              to <Time at={to} absolute />
            </>
          )}
        </Text>
      )}
    </>
  );
}
