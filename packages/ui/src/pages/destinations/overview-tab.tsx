import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ComponentProps, ReactElement } from 'react';
import type { LaneCounts, OverviewDestination, Stats } from '../../../../server/src/admin/contract.ts';
import { share } from '../../../../server/src/core/share.ts';
import { incidentsApi } from '../../api/incidents.ts';
import { type Column, TableSection } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { RangePicker, useRange } from '../../components/range-picker.tsx';
import { StatsChart, type StatsLine } from '../../components/series-chart.tsx';
import { SourceName } from '../../components/source-name.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { ThingLink } from '../../components/thing-link.tsx';
import { Time } from '../../components/time.tsx';
import { count, duration } from '../../format/number.ts';
import { rangeName } from '../../format/range.ts';
import { QuietNote } from '../incidents/incident-parts.tsx';
import { changeOf, changeOfRate } from '../overview/change.ts';
import { DeliveriesChart } from '../overview/deliveries-chart.tsx';
import { CountsCard } from './counts-card.tsx';
import { ErrorsCard } from './errors-card.tsx';
import { HealthNote } from './health-note.tsx';
import { UrlStates } from './url-states.tsx';
import { useOverview } from './use-overview.ts';

const route = getRouteApi('/shell/destinations/$id/');

/** The state of a destination, live: what fails and why, whether all events are counted, rates and latency, and each URL. */
export function OverviewTab(): ReactElement {
  const { id: destinationId } = route.useParams();
  const range = useRange();
  const { data, error, refetch } = useOverview(destinationId);
  return (
    <Stack gap="md">
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      <OpenIncident destinationId={destinationId} />
      {data && <HealthNote {...data} />}
      {data && data.errors.length > 0 && <ErrorsCard overview={data} />}
      <CountsCard destinationId={destinationId} counts={data?.destination.counts} />
      <FigureCards seen={data?.destination} stats={data?.stats} range={rangeName(range)} />
      <UrlStates overview={data} />
      <RangePicker />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <DeliveriesChart range={range} stats={data?.stats} />
        <LatencyChart range={range} stats={data?.stats} />
      </SimpleGrid>
      <LanesTable lanes={data?.lanes} />
    </Stack>
  );
}

/** The open incidents of a destination: what, since when, and a link to each. */
function OpenIncident({ destinationId }: { readonly destinationId: string }): ReactElement[] {
  const { data = [] } = useQuery(incidentsApi.open());
  return data
    .filter(({ subject }) => subject.id === destinationId)
    .map((incident) => (
      <Group key={incident.id} gap="xs" align="baseline">
        <StatusBadge tone="bad">incident</StatusBadge>
        <ThingLink kind="incident" id={incident.id} name={incident.cause} fw={600} />
        <Text c="dimmed">
          Since <Time at={incident.since} absolute />
        </Text>
        <QuietNote {...incident} />
      </Group>
    ));
}

const COLUMNS: readonly Column<LaneCounts>[] = [
  {
    header: 'Source',
    cell: ({ sourceId, ended }) => (
      <>
        <SourceName id={sourceId} />
        {ended && <Text variant="aside">disconnected: only finishes what it holds</Text>}
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

/** The counts of each source. A source that was disconnected and connected again has a row for each time. */
function LanesTable({ lanes }: { readonly lanes: readonly LaneCounts[] | undefined }): ReactElement {
  return (
    <TableSection
      id="lanes"
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
  );
}

const LINES: readonly StatsLine[] = [
  { name: 'p50', color: 'busy', of: 'p50' },
  { name: 'p95', color: 'warn', of: 'p95' },
];

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Distances between grid lines, in milliseconds, that read as round durations. */
const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 6, 12, 24].map((hours) => hours * HOUR),
];

const MEASURE = { format: duration, steps: STEPS };

/** The time from accepted to delivered. */
function LatencyChart(shown: Pick<ComponentProps<typeof StatsChart>, 'range' | 'stats'>): ReactElement {
  return <StatsChart what="Latency" lines={LINES} measure={MEASURE} {...shown} />;
}

interface FigureCardsProps {
  readonly seen: OverviewDestination | undefined;
  readonly stats: Stats | undefined;
  /** `the last hour` */
  readonly range: string;
}

/** For the chosen range, numbers and rates; for now, the waiting messages. */
function FigureCards({ seen, stats, range }: FigureCardsProps): ReactElement {
  const { total, before } = stats ?? {};
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
      <StatCard
        label="Success rate"
        value={total && share(total.attempts - total.attemptsFailed, total.attempts)}
        delta={total && before ? changeOfRate(total, before) : null}
        note={`of attempts in ${range}`}
      />
      <StatCard
        label="Latency p95"
        value={total && duration(total.p95)}
        delta={total?.p95 && before?.p95 ? changeOf(total.p95, before.p95, false) : null}
        note={total && `p50 ${duration(total.p50)}, from accepted to delivered`}
      />
      <StatCard
        label="Delivered"
        value={total && count(total.processed)}
        delta={total && before ? changeOf(total.processed, before.processed, null) : null}
        note={
          seen && (
            <>
              last: <Time at={seen.lastDeliveredAt} otherwise="never" />
            </>
          )
        }
      />
      <StatCard
        label="Waiting"
        value={seen && count(seen.counts.waiting)}
        note={
          seen && (
            <>
              oldest: <Time at={seen.oldestWaitingAt} otherwise="nothing waits" />
            </>
          )
        }
      />
    </SimpleGrid>
  );
}
