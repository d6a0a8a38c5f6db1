import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { OverviewSource, Source } from '../../../../server/src/admin/contract.ts';
import { statsApi } from '../../api/stats.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { type Column, DataTable, type DataTableProps } from '../../components/data-table.tsx';
import { SentBy } from '../../components/sent-by.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { SourceTypeIcon } from './source-types.tsx';

interface SourcesTableProps extends Pick<DataTableProps<OverviewSource>, 'rows' | 'empty' | 'error' | 'onRetry'> {
  /** Default `Sources`. */
  readonly label?: string;
  /** Adds a small chart of the last hour. */
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

const WIDTH = 120;
const HEIGHT = 28;
const AREA = { fill: 'light-dark(var(--mantine-color-indigo-1), #263063)' };
const LINE = { stroke: 'light-dark(var(--mantine-color-indigo-6), var(--mantine-color-indigo-4))' };

/** A small line chart from 0 to the greatest value. Its content is also in the number beside it. */
function Sparkline({ values }: { readonly values: readonly number[] }): ReactElement {
  const top = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const line = values.map(
    (value, i) => `${(i * step).toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`,
  );
  return (
    <svg display="block" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden>
      {line.length > 1 && (
        <>
          <polygon points={`0,${HEIGHT} ${line.join(' ')} ${WIDTH},${HEIGHT}`} style={AREA} />
          <polyline points={line.join(' ')} fill="none" strokeWidth={1.5} strokeLinejoin="round" style={LINE} />
        </>
      )}
    </svg>
  );
}
