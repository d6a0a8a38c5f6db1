import { Stack, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { useMayChange } from '../../shell/session.ts';
import { DeliveriesTable } from './deliveries-table.tsx';
import { ReplayPanel } from './replay-panel.tsx';
import { ReplaysTable } from './replays-table.tsx';

const route = getRouteApi('/shell/destinations/$destinationId/failed');

/** Failed messages, and sending them again: many at once, at a rate, watched and stopped. */
export function FailedTab(): ReactElement {
  const { destinationId } = route.useParams();
  const mayChange = useMayChange();
  const [replayId, setReplayId] = useState<string | null>(null);
  return (
    <Stack gap="lg">
      <ReplayPanel destinationId={destinationId} mayStart={mayChange} replayId={replayId} onStarted={setReplayId} />
      <ReplaysTable destinationId={destinationId} />
      <Stack component="section" gap="xs" aria-labelledby="failed">
        <Title order={2} id="failed">
          Failed messages
        </Title>
        <DeliveriesTable
          destinationId={destinationId}
          search={{ state: 'failed' }}
          empty={
            <EmptyState icon={IconCircleCheck} title="Nothing has failed">
              A message fails when every URL refuses it for good, or when its retry window ends. It is kept, and can be
              sent again from here.
            </EmptyState>
          }
        />
      </Stack>
    </Stack>
  );
}
