import { Button, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Replay } from '../../../../server/src/admin/contract.ts';
import { replaysApi } from '../../api/replays.ts';
import { type Column, rowsOf, TableSection } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { notifyFailed } from '../../components/notify.ts';
import { COLORS, StatusBadge, type Tone } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { count, perSecond } from '../../format/number.ts';
import { useMayChange } from '../../shell/session.ts';

const COLUMNS: readonly Column<Replay>[] = [
  { header: 'Started', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { header: 'What', cell: (replay) => <What {...replay} /> },
  { header: 'Result', cell: (replay) => <Result {...replay} /> },
  { header: 'Sent again', align: 'end', cell: ({ done, total }) => `${count(done)} of ${count(total)}` },
  { header: 'Rate', align: 'end', cell: (replay) => perSecond(replay.perSecond) },
  { header: 'Stop', align: 'end', cell: ({ id, status }) => (status === 'running' ? <StopReplay id={id} /> : '–') },
];

/** The replays of one destination, newest first. */
export function ReplaysTable({ destinationId }: { readonly destinationId: string }): ReactElement {
  const list = rowsOf(useInfiniteQuery(replaysApi.list(destinationId)));
  return (
    <TableSection
      id="replays"
      label="Replays"
      columns={COLUMNS}
      {...list}
      empty={
        <EmptyState icon={IconRepeat} title="No replay yet">
          Messages that were sent again are counted here.
        </EmptyState>
      }
    />
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

interface ReplayProgressProps {
  readonly replayId: string;
  readonly onAnother: () => void;
}

/** The progress of a replay, live, and its result. */
export function ReplayProgress({ replayId, onAnother }: ReplayProgressProps): ReactElement {
  const { data: replay, error, refetch } = useQuery(replaysApi.one(replayId));
  if (!replay) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton height={64} />;
  const { total, status, result } = replay;
  const { tone } = standOf(replay);
  const ended = result ? result.delivered + result.failed + result.filtered : replay.done;
  const canStop = status === 'running';
  return (
    <Stack gap="xs">
      <Progress
        value={total === 0 ? 100 : (100 * ended) / total}
        color={COLORS[tone]}
        size="lg"
        aria-label="How far the replay is"
      />
      <Group justify="space-between" gap="xs">
        <Text aria-live="polite">{inWords(replay)}</Text>
        {canStop ? (
          <StopReplay id={replayId} />
        ) : (
          <Button variant="default" onClick={onAnother}>
            Another replay
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function inWords(replay: Replay): string {
  const { status, done, total, chosen, result } = replay;
  const sent = `${count(done)} of ${count(total)} messages`;
  const came = resultInWords(result);
  const waited = status === 'done' && done < total ? ' The others waited anyway.' : '';
  const left = (chosen ?? total) - total;
  const out = left > 0 ? ` ${count(left)} left out: gone, no longer failed, or of a source that is not connected.` : '';
  const others = waited + out;
  if (status === 'running') return `Running: ${sent} went back to waiting${came === null ? '' : `; ${came}`}.`;
  if (status === 'stopped') return `Stopped after ${sent}: ${came ?? 'they are still sent'}.`;
  if (came === null) return `Ended: ${sent} went back to waiting.${others}`;
  return `${result && result.waiting > 0 ? 'All are on their way' : 'Done'}: ${came}.${others}`;
}

/** Messages that the replay has put back to waiting are still sent, so stopping loses nothing. */
function StopReplay({ id }: { readonly id: string }): ReactElement | null {
  const stop = useMutation(replaysApi.stop());
  if (!useMayChange()) return null;
  return (
    <Button
      size="xs"
      variant="default"
      loading={stop.isPending}
      onClick={() => void stop.mutateAsync(id).catch(notifyFailed('The replay was not stopped'))}
    >
      Stop
    </Button>
  );
}

/** The state of a replay, by its messages: if all of them failed again, it is not a success. */
function standOf({ status, result }: Pick<Replay, 'status' | 'result'>): { tone: Tone; words: string } {
  if (status === 'running') return { tone: 'busy', words: 'running' };
  if (result !== null && result.waiting > 0) return { tone: 'busy', words: 'still waiting' };
  if (status === 'stopped') return { tone: 'off', words: 'stopped' };
  if (result === null) return { tone: 'idle', words: 'ended' };
  const { delivered, failed, filtered } = result;
  if (failed > 0)
    return delivered > 0 ? { tone: 'warn', words: 'partly failed' } : { tone: 'bad', words: 'failed again' };
  if (delivered > 0) return { tone: 'good', words: 'delivered' };
  return filtered > 0 ? { tone: 'off', words: 'filtered' } : { tone: 'idle', words: 'nothing sent' };
}

/** `3 delivered, 1 failed again`, without zeros; null if there is no result. */
function resultInWords(result: Replay['result']): string | null {
  if (result === null) return null;
  const parts = [
    [result.delivered, 'delivered'],
    [result.failed, 'failed again'],
    [result.filtered, 'filtered'],
    [result.waiting, 'still waiting'],
  ] as const;
  const words = parts.filter(([messages]) => messages > 0).map(([messages, what]) => `${count(messages)} ${what}`);
  return words.length === 0 ? 'nothing was sent' : words.join(', ');
}
