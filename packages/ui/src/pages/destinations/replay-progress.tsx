import { Button, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Replay } from '../../../../server/src/admin/contract.ts';
import { replaysApi } from '../../api/replays.ts';
import { ErrorState } from '../../components/error-state.tsx';
import type { Tone } from '../../components/status-badge.tsx';
import { count } from '../../format/number.ts';
import { resultInWords, standOf } from './replay-result.ts';
import { StopReplay } from './stop-replay.tsx';

interface ReplayProgressProps {
  readonly replayId: string;
  readonly onAnother: () => void;
}

/** How far a replay is, live, and its end. */
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

const COLORS: Readonly<Record<Tone, string>> = {
  good: 'teal',
  busy: 'indigo',
  warn: 'yellow',
  bad: 'red',
  idle: 'gray',
  off: 'gray',
};

function inWords(replay: Replay): string {
  const { status, done, total, result } = replay;
  const sent = `${count(done)} of ${count(total)} messages`;
  const came = resultInWords(result);
  const others = status === 'done' && done < total ? ' The others waited anyway.' : '';
  if (status === 'running') return `Running: ${sent} went back to waiting${came === null ? '' : `; ${came}`}.`;
  if (status === 'stopped') return `Stopped after ${sent}: ${came ?? 'they are still sent'}.`;
  if (came === null) return `Ended: ${sent} went back to waiting.${others}`;
  return `${result && result.waiting > 0 ? 'All are on their way' : 'Done'}: ${came}.${others}`;
}
