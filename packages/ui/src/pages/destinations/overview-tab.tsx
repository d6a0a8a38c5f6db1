import { SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { statsApi } from '../../api/stats.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { RangePicker } from '../../components/range-picker.tsx';
import { rangeFrom, rangeName, searchFor } from '../../format/range.ts';
import { DeliveriesChart } from '../overview/deliveries-chart.tsx';
import { CountsCard } from './counts-card.tsx';
import { FigureCards } from './figure-cards.tsx';
import { HealthNote } from './health-note.tsx';
import { LanesTable } from './lanes-table.tsx';
import { LatencyChart } from './latency-chart.tsx';
import { UrlStates } from './url-states.tsx';

const route = getRouteApi('/shell/destinations/$destinationId/');

/** How it goes, live: is it well, did nothing get lost, how much and how fast, and what each URL does. */
export function OverviewTab(): ReactElement {
  const { destinationId } = route.useParams();
  const navigate = route.useNavigate();
  const range = rangeFrom(route.useSearch()) ?? { last: '1h' };
  const overview = useQuery(statsApi.overview());
  const counts = useQuery(destinationsApi.counts(destinationId));
  const stats = useQuery(statsApi.over(range, { destinationId }));
  const seen = overview.data?.destinations.find(({ id }) => id === destinationId);
  const failed = [counts, stats].filter(({ error }) => error !== null);
  const time = rangeName(range).replace(/^the /, '');
  return (
    <Stack gap="md">
      {failed[0] && (
        <ErrorState error={failed[0].error} onRetry={() => void Promise.all(failed.map(({ refetch }) => refetch()))} />
      )}
      {seen && <HealthNote {...seen} />}
      <CountsCard destinationId={destinationId} counts={counts.data} />
      <FigureCards seen={seen} stats={stats.data} range={rangeName(range)} />
      <UrlStates destinationId={destinationId} />
      <RangePicker value={range} onChange={(chosen) => void navigate({ search: searchFor(chosen), replace: true })} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <DeliveriesChart title={`Deliveries, ${time}`} stats={stats.data} />
        <LatencyChart title={`Latency, ${time}`} stats={stats.data} />
      </SimpleGrid>
      <LanesTable destinationId={destinationId} />
    </Stack>
  );
}
