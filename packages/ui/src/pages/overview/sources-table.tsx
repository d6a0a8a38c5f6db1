import { Stack, Text, Title } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { OverviewSource } from '../../../../server/src/admin/contract.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';

const COLUMNS: readonly Column<OverviewSource>[] = [
  {
    header: 'Source',
    cell: ({ name, type }) => (
      <>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {type}
        </Text>
      </>
    ),
  },
  {
    header: 'Status',
    cell: ({ enabled }) => <StatusBadge tone={enabled ? 'good' : 'off'}>{enabled ? 'on' : 'off'}</StatusBadge>,
  },
  { header: 'Accepted, 1 h', align: 'end', cell: ({ accepted }) => count(accepted) },
  {
    header: 'Rejected, 1 h',
    align: 'end',
    cell: ({ rejected }) => (
      <Text span size="sm" c={rejected > 0 ? 'var(--millrace-bad)' : 'inherit'}>
        {count(rejected)}
      </Text>
    ),
  },
  { header: 'Last event', cell: ({ lastEventAt }) => <Time at={lastEventAt} otherwise="never" /> },
];

export function SourcesTable({ sources }: { readonly sources: readonly OverviewSource[] | undefined }): ReactElement {
  return (
    <Stack component="section" gap="xs" aria-labelledby="sources">
      <Title order={2} id="sources">
        Sources
      </Title>
      <DataTable
        label="Sources"
        columns={COLUMNS}
        rows={sources}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={IconPlugConnected} title="No source yet" />}
      />
    </Stack>
  );
}
