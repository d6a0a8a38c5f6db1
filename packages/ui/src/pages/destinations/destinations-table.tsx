import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { OverviewDestination } from '../../../../server/src/admin/contract.ts';
import { share } from '../../../../server/src/core/share.ts';
import { type Column, DataTable, type DataTableProps } from '../../components/data-table.tsx';
import { HealthBadge } from '../../components/status-badge.tsx';
import { ThingLink } from '../../components/thing-link.tsx';
import { Time } from '../../components/time.tsx';
import { count, duration, many } from '../../format/number.ts';

type DestinationsTableProps = Pick<DataTableProps<OverviewDestination>, 'rows' | 'empty' | 'error' | 'onRetry'>;

const COLUMNS: readonly Column<OverviewDestination>[] = [
  { header: 'Destination', cell: (destination) => <Name {...destination} /> },
  { header: 'Status', cell: ({ health, reason }) => <HealthBadge health={health} reason={reason} /> },
  {
    header: 'Success, 1 h',
    align: 'end',
    cell: ({ lastHour: { attempts, attemptsFailed } }) => share(attempts - attemptsFailed, attempts),
  },
  { header: 'p95, 1 h', align: 'end', cell: ({ lastHour }) => duration(lastHour.p95) },
  { header: 'Waiting', align: 'end', cell: ({ counts }) => count(counts.waiting) },
  { header: 'Oldest', cell: ({ oldestWaitingAt }) => <Time at={oldestWaitingAt} /> },
  { header: 'Last delivery', cell: ({ lastDeliveredAt }) => <Time at={lastDeliveredAt} otherwise="never" /> },
];

/** In the given order: those that need attention first. */
export function DestinationsTable(props: DestinationsTableProps): ReactElement {
  return <DataTable label="Destinations" columns={COLUMNS} {...props} />;
}

function Name({ id, name, type, urls, health, reason }: OverviewDestination): ReactElement {
  return (
    <>
      <ThingLink kind="destination" id={id} name={name} fw={500} />
      <Text variant="aside">
        {type} · {many(urls, 'URL')}
        {reason !== null && health !== 'off' && health !== 'idle' && ` · ${reason}`}
      </Text>
    </>
  );
}
