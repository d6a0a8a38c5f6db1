import { Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { OverviewSource, Source } from '../../../../server/src/admin/contract.ts';
import { type Column, DataTable, type DataTableProps } from '../../components/data-table.tsx';
import { SentBy } from '../../components/sent-by.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { ThingLink } from '../../components/thing-link.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { SourceTypeIcon } from './source-types.tsx';

interface SourcesTableProps extends Pick<DataTableProps<OverviewSource>, 'rows' | 'empty' | 'error' | 'onRetry'> {
  /** Default `Sources`. */
  readonly label?: string;
  /** Columns after the name. */
  readonly beside?: readonly Column<OverviewSource>[];
}

const NAME: Column<OverviewSource> = { header: 'Source', cell: (source) => <Name {...source} /> };

const FIGURES: readonly Column<OverviewSource>[] = [
  {
    header: 'Status',
    cell: ({ enabled }) => <StatusBadge tone={enabled ? 'good' : 'off'}>{enabled ? 'on' : 'off'}</StatusBadge>,
  },
  { header: 'Accepted, 1 h', align: 'end', cell: ({ accepted }) => count(accepted) },
  {
    header: 'Rejected, 1 h',
    align: 'end',
    cell: ({ rejected }) => (
      <Text span c={rejected > 0 ? 'var(--millrace-bad)' : 'inherit'}>
        {count(rejected)}
      </Text>
    ),
  },
  { header: 'Last event', cell: ({ lastEventAt }) => <Time at={lastEventAt} otherwise="never" /> },
];

export function SourcesTable({ label = 'Sources', beside = [], ...states }: SourcesTableProps): ReactElement {
  return <DataTable label={label} columns={[NAME, ...beside, ...FIGURES]} {...states} />;
}

function Name({ id, name, type, sentBy }: OverviewSource): ReactElement {
  return (
    <Group gap={10} wrap="nowrap">
      <SourceTypeIcon type={type as Source['type']} />
      <div>
        <ThingLink kind="source" id={id} name={name} fw={500} />
        <Text variant="aside">
          {sentBy === null ? (
            type
          ) : (
            <>
              sent by <SentBy id={sentBy} />
            </>
          )}
        </Text>
      </div>
    </Group>
  );
}
