import { Stack, Text, Title } from '@mantine/core';
import { IconWorldOff } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { DestinationOverview, UrlAttempts, UrlStatus } from '../../../../server/src/admin/contract.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { count, share } from '../../format/number.ts';
import { errorInWords } from '../../format/reasons.ts';

interface UrlRow extends UrlStatus {
  /** Of the last hour; undefined where there were none. */
  readonly tried: UrlAttempts | undefined;
}

const COLUMNS: readonly Column<UrlRow>[] = [
  { header: 'URL', cell: ({ url }) => url },
  { header: 'State', cell: (row) => <State {...row} /> },
  { header: 'Attempts, 1 h', align: 'end', cell: ({ tried }) => count(tried?.attempts ?? 0) },
  {
    header: 'Succeeded',
    align: 'end',
    cell: ({ tried }) => share((tried?.attempts ?? 0) - (tried?.failed ?? 0), tried?.attempts ?? 0),
  },
  { header: 'In flight', align: 'end', cell: ({ inFlight, concurrency }) => `${inFlight} of ${concurrency}` },
  {
    header: 'Last error',
    cell: ({ lastError }) => (
      <Text size="sm" c={lastError === null ? 'dimmed' : 'inherit'}>
        {lastError === null ? 'none since it last succeeded' : errorInWords(lastError)}
      </Text>
    ),
  },
];

/** What each URL does now, and how its attempts went. */
export function UrlStates({ overview }: { readonly overview: DestinationOverview | undefined }): ReactElement {
  const tried = new Map(overview?.urls.map((attempts) => [attempts.url, attempts]));
  return (
    <Stack component="section" gap="xs" aria-labelledby="urls">
      <Title order={2} id="urls">
        URLs
      </Title>
      <DataTable
        label="URLs"
        columns={COLUMNS}
        rows={overview?.status.urls.map((status) => ({ ...status, tried: tried.get(status.url) }))}
        rowKey={({ url }) => url}
        empty={
          <EmptyState icon={IconWorldOff} title="Nothing is sent now">
            The destination is switched off.
          </EmptyState>
        }
      />
    </Stack>
  );
}

/** By its last attempt; a few successes among many failures are no good state. */
function State({ stalled, lastError, tried }: UrlRow): ReactElement {
  if (stalled) {
    return (
      <StatusBadge tone="bad" title="It has failed several times in a row, and gets single attempts until it answers">
        stalled
      </StatusBadge>
    );
  }
  const { attempts = 0, failed = 0 } = tried ?? {};
  if (attempts > 0 && failed * 2 > attempts) return <StatusBadge tone="bad">failing</StatusBadge>;
  if (lastError !== null || failed > 0) return <StatusBadge tone="warn">errors</StatusBadge>;
  return attempts === 0 ? <StatusBadge tone="idle">idle</StatusBadge> : <StatusBadge tone="good">ok</StatusBadge>;
}
