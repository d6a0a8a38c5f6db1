import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { OverviewSource, Source } from '../../../../server/src/admin/contract.ts';
import { statsApi } from '../../api/stats.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { type Column, DataTable, type DataTableProps } from '../../components/data-table.tsx';
import { SentBy } from '../../components/sent-by.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { SourceTypeIcon } from './source-types.tsx';

interface SourcesTableProps extends Pick<DataTableProps<OverviewSource>, 'rows' | 'empty' | 'error' | 'onRetry'> {
  /** Default `Sources`. */
  readonly label?: string;
  /** Shows the last hour as a line, too. */
  readonly withVolume?: boolean;
}

const NAME: Column<OverviewSource> = { header: 'Source', cell: (source) => <Name {...source} /> };
const VOLUME: Column<OverviewSource> = { header: 'Volume, 1 h', cell: ({ id }) => <SourceVolume sourceId={id} /> };

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

const PLAIN = [NAME, ...FIGURES];
const WITH_VOLUME = [NAME, VOLUME, ...FIGURES];

export function SourcesTable({ label = 'Sources', withVolume = false, ...states }: SourcesTableProps): ReactElement {
  return <DataTable label={label} columns={withVolume ? WITH_VOLUME : PLAIN} rowKey={({ id }) => id} {...states} />;
}

function Name({ id, name, type, sentBy }: OverviewSource): ReactElement {
  return (
    <Group gap={10} wrap="nowrap">
      <SourceTypeIcon type={type as Source['type']} />
      <div>
        <AnchorLink to="/sources/$sourceId" params={{ sourceId: id }} fw={500}>
          {name}
        </AnchorLink>
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

/** Calls that a source sent in the last hour, by the minute. */
function SourceVolume({ sourceId }: { readonly sourceId: string }): ReactElement {
  const { data } = useQuery(statsApi.volumes());
  return <Sparkline values={data?.items.find((item) => item.sourceId === sourceId)?.accepted ?? []} />;
}
