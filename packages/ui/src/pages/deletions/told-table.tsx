import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Destination, Source } from '../../../../server/src/admin/contract.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';

interface ToldTableProps {
  readonly sources: readonly Source[];
  readonly destinations: readonly Destination[];
}

/** Who would be told of a deletion, by source. */
export function ToldTable({ sources, destinations }: ToldTableProps): ReactElement {
  const of = (id: string, enabled: boolean): string[] =>
    destinations.filter((each) => each.enabled === enabled && each.sourceIds.includes(id)).map(({ name }) => name);
  const columns: readonly Column<Source>[] = [
    { header: 'Source', width: '34%', cell: ({ name }) => name },
    {
      header: 'Told',
      cell: ({ id }) => (
        <>
          {of(id, true).join(', ') || <Text>none</Text>}
          {of(id, false).length > 0 && (
            <Text size="xs" c="dimmed">
              Off, not told: {of(id, false).join(', ')}
            </Text>
          )}
        </>
      ),
    },
  ];
  return (
    <DataTable
      label="Destinations of each source"
      columns={columns}
      rows={sources.filter(({ id }) => destinations.some(({ sourceIds }) => sourceIds.includes(id)))}
      rowKey={({ id }) => id}
      empty={null}
    />
  );
}
