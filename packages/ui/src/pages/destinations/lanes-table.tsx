import { Text } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { LaneCounts } from '../../../../server/src/admin/contract.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Section } from '../../components/section.tsx';
import { SourceName } from '../../components/source-name.tsx';
import { count } from '../../format/number.ts';

const COLUMNS: readonly Column<LaneCounts>[] = [
  {
    header: 'Source',
    cell: ({ sourceId, ended }) => (
      <>
        <SourceName id={sourceId} />
        {ended && (
          <Text size="xs" c="dimmed">
            disconnected: only finishes what it holds
          </Text>
        )}
      </>
    ),
  },
  { header: 'Accepted', align: 'end', cell: ({ accepted }) => count(accepted) },
  { header: 'Processed', align: 'end', cell: ({ processed }) => count(processed) },
  { header: 'Failed', align: 'end', cell: ({ failed }) => count(failed) },
  { header: 'Filtered', align: 'end', cell: ({ filtered }) => count(filtered) },
  { header: 'Waiting', align: 'end', cell: ({ waiting }) => count(waiting) },
  { header: 'Retrying', align: 'end', cell: ({ retrying }) => count(retrying) },
];

/** The same counts for each source; a pair that was cut and connected again has a row for each time. */
export function LanesTable({ lanes }: { readonly lanes: readonly LaneCounts[] | undefined }): ReactElement {
  return (
    <Section id="lanes" title="By source">
      <DataTable
        label="By source"
        columns={COLUMNS}
        rows={lanes}
        rowKey={({ laneId }) => String(laneId)}
        empty={
          <EmptyState icon={IconPlugConnected} title="No source is connected">
            Choose sources in the settings of this destination.
          </EmptyState>
        }
      />
    </Section>
  );
}
