import { Button, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Replay } from '../../../../server/src/admin/contract.ts';
import { replaysApi } from '../../api/replays.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { count } from '../../format/number.ts';
import { StopReplay } from './stop-replay.tsx';

interface ReplayProgressProps {
  readonly replayId: string;
  readonly onAnother: () => void;
}

/** How far a replay is, live, and its end. */
export function ReplayProgress({ replayId, onAnother }: ReplayProgressProps): ReactElement {
  const { data: replay, error, refetch } = useQuery(replaysApi.one(replayId));
  if (!replay) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton height={64} />;
  const { done, total, status } = replay;
  return (
    <Stack gap="xs">
      <Progress
        value={total === 0 ? 100 : (100 * done) / total}
        color={status === 'stopped' ? 'gray' : 'indigo'}
        size="lg"
        aria-label="How far the replay is"
      />
      <Group justify="space-between" gap="xs">
        <Text size="sm" aria-live="polite">
          {inWords(replay)}
        </Text>
        {status !== 'running' ? (
          <Button variant="default" onClick={onAnother}>
            Another replay
          </Button>
        ) : (
          <StopReplay id={replayId} />
        )}
      </Group>
    </Stack>
  );
}

function inWords({ status, done, total }: Replay): string {
  const part = `${count(done)} of ${count(total)} messages went back to waiting`;
  if (status === 'running') return `Running: ${part}.`;
  if (status === 'stopped') return `Stopped: ${part}, and are still sent.`;
  return `Done: ${part}${done < total ? '; the others waited anyway' : ''}.`;
}
