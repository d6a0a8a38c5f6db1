import { SimpleGrid, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ErrorState } from '../../components/error-state.tsx';
import { RangePicker } from '../../components/range-picker.tsx';
import { useRange } from '../../components/use-range.ts';
import { rangeName } from '../../format/range.ts';
import { DeliveriesChart } from '../overview/deliveries-chart.tsx';
import { CountsCard } from './counts-card.tsx';
import { ErrorsCard } from './errors-card.tsx';
import { FigureCards } from './figure-cards.tsx';
import { HealthNote } from './health-note.tsx';
import { LanesTable } from './lanes-table.tsx';
import { LatencyChart } from './latency-chart.tsx';
import { OpenIncident } from './open-incident.tsx';
import { UrlStates } from './url-states.tsx';
import { useOverview } from './use-overview.ts';

const route = getRouteApi('/shell/destinations/$destinationId/');

/** How it goes, live: what fails and why, did nothing get lost, how much and how fast, and what each URL does. */
export function OverviewTab(): ReactElement {
  const { destinationId } = route.useParams();
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
