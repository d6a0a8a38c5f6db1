import { Code, Stack, Text, Title } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Rejection } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Time } from '../../components/time.tsx';

const COLUMNS: readonly Column<Rejection>[] = [
  {
    header: 'What was refused, and why',
    cell: ({ code, message, part }) => (
      <Stack gap={6}>
        <div>
          <Text size="sm" fw={500}>
            {message}
          </Text>
          <Text size="xs" c="dimmed">
            <code>{code}</code>
          </Text>
        </div>
        <Code block fw={400} mah={140} tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {part}
        </Code>
      </Stack>
    ),
  },
  { header: 'When', cell: ({ at }) => <Time at={at} />, width: '130px' },
];

/** The last calls that the collection API refused, live, newest first. */
export function RejectionsTable({ sourceId }: { readonly sourceId: string }): ReactElement {
  const { data, error, refetch } = useQuery(sourcesApi.rejections(sourceId));
  return (
    <Stack component="section" gap="xs" aria-labelledby="rejections">
      <Title order={2} id="rejections">
        Last rejected calls
      </Title>
      <DataTable
        label="Last rejected calls"
        columns={COLUMNS}
        rows={data}
        // Of several calls of one request all words may be the same.
        rowKey={(rejection) => `${rejection.at} ${data?.indexOf(rejection)}`}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon={IconShieldCheck} title="Nothing was rejected">
            Calls that break a rule are listed here with the code, the reason and the part that was wrong, since the
            service was last started.
          </EmptyState>
        }
      />
    </Stack>
  );
}
