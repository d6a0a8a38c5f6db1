import { Text } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Replay } from '../../../../server/src/admin/contract.ts';
import { replaysApi } from '../../api/replays.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { pagedRows } from '../../components/paged-rows.ts';
import { Section } from '../../components/section.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { count, perSecond } from '../../format/number.ts';
import { resultInWords, standOf } from './replay-result.ts';
import { StopReplay } from './stop-replay.tsx';

const COLUMNS: readonly Column<Replay>[] = [
  { header: 'Started', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { header: 'What', cell: (replay) => <What {...replay} /> },
  { header: 'Result', cell: (replay) => <Result {...replay} /> },
  { header: 'Sent again', align: 'end', cell: ({ done, total }) => `${count(done)} of ${count(total)}` },
  { header: 'Rate', align: 'end', cell: (replay) => perSecond(replay.perSecond) },
  { header: 'Stop', align: 'end', cell: ({ id, status }) => (status === 'running' ? <StopReplay id={id} /> : '–') },
];

/** Replays of one destination, newest first. */
export function ReplaysTable({ destinationId }: { readonly destinationId: string }): ReactElement {
  const list = pagedRows(useInfiniteQuery(replaysApi.list(destinationId)));
  return (
    <Section id="replays" title="Replays">
      <DataTable
        label="Replays"
        columns={COLUMNS}
        {...list}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconRepeat} title="No replay yet">
            Messages that were sent again are counted here.
          </EmptyState>
        }
      />
    </Section>
  );
}

function Result(replay: Replay): ReactElement {
  const { tone, words } = standOf(replay);
  return (
    <>
      <StatusBadge tone={tone}>{words}</StatusBadge>
      <Text variant="aside">{resultInWords(replay.result) ?? 'an earlier version kept no result'}</Text>
    </>
  );
}

function What({ state, filter, messageId, chosen, webhookId, from, to }: Replay): ReactElement {
  if (messageId !== null) return <>One message, {messageId}</>;
  if (chosen !== null) return <>{count(chosen)} chosen messages</>;
  const narrowed = [
    filter.event !== null && `event ${filter.event}`,
    filter.userId !== null && `user ${filter.userId}`,
    filter.error !== null && `error ${filter.error}`,
    webhookId !== null && 'for one URL',
  ];
  return (
    <>
      {[state === 'failed' ? 'What failed' : 'Everything', ...narrowed.filter((part) => part !== false)].join(', ')}
      {(from !== null || to !== null) && (
        <Text variant="aside">
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
