import { Group, Stack, Text, Title } from '@mantine/core';
import { IconWorldOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { DestinationStatus, UrlStatus } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { errorInWords } from '../../format/reasons.ts';

const COLUMNS: readonly Column<UrlStatus>[] = [
  { header: 'URL', cell: ({ url }) => url },
  {
    header: 'State',
    cell: ({ stalled, lastError }) =>
      stalled ? (
        <StatusBadge tone="bad" title="It doesn't answer, and gets single attempts until it does">
          stalled
        </StatusBadge>
      ) : (
        <StatusBadge tone={lastError === null ? 'good' : 'warn'}>{lastError === null ? 'ok' : 'errors'}</StatusBadge>
      ),
  },
  { header: 'In flight', align: 'end', cell: ({ inFlight, concurrency }) => `${inFlight} of ${concurrency}` },
  {
    header: 'Last error',
    cell: ({ lastError }) => (
      <Text size="sm" c={lastError === null ? 'dimmed' : 'inherit'}>
        {lastError === null ? 'none' : errorInWords(lastError)}
      </Text>
    ),
  },
];

/** What each URL does now, and whether the breaker holds everything back. */
export function UrlStates({ destinationId }: { readonly destinationId: string }): ReactElement {
  const { data, error, refetch } = useQuery(destinationsApi.status(destinationId));
  return (
    <Stack component="section" gap="xs" aria-labelledby="urls">
      <Group justify="space-between" gap="xs">
        <Title order={2} id="urls">
          URLs
        </Title>
        {data && <Breaker {...data} />}
      </Group>
      <DataTable
        label="URLs"
        columns={COLUMNS}
        rows={data?.urls}
        rowKey={({ url }) => url}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon={IconWorldOff} title="Nothing is sent now">
            The destination is switched off.
          </EmptyState>
        }
      />
    </Stack>
  );
}

function Breaker({ breaker, probeAt }: DestinationStatus): ReactElement {
  if (breaker === 'closed') return <StatusBadge tone="good">breaker closed</StatusBadge>;
  return (
    <Group gap={8}>
      <StatusBadge tone="bad" title="Nothing is sent until a single attempt, the probe, succeeds">
        breaker {breaker}
      </StatusBadge>
      <Text size="sm">
        {breaker === 'probing' ? (
          'a probe is under way'
        ) : (
          <>
            next probe <Time at={probeAt} />
          </>
        )}
      </Text>
    </Group>
  );
}
