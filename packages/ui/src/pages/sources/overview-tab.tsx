import { Group, Stack } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { sourcesApi } from '../../api/sources.ts';
import { statsApi } from '../../api/stats.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { RangePicker } from '../../components/range-picker.tsx';
import { StatsChart, type StatsLine } from '../../components/stats-chart.tsx';
import { useRange } from '../../components/use-range.ts';
import { rangeName } from '../../format/range.ts';
import { useMayLook } from '../../shell/session.ts';
import { FirstEvent } from './first-event.tsx';
import { RejectionsTable } from './rejections-table.tsx';
import { SourceCards } from './source-cards.tsx';
import { SourceDestinations } from './source-destinations.tsx';

const route = getRouteApi('/shell/sources/$sourceId/');

const ACCEPTED: readonly StatsLine[] = [{ name: 'accepted', color: 'busy', of: 'accepted' }];

/** What comes in from the source, and what of it was refused. */
export function SourceOverviewTab(): ReactElement {
  const { sourceId } = route.useParams();
  const mayLook = useMayLook();
  const range = useRange();
  const { data: source } = useSuspenseQuery(sourcesApi.one(sourceId));
  const { data, error, refetch, isPlaceholderData } = useQuery(statsApi.over(range, sourceId));
  // The figures of another range, or of another source.
  const stats = isPlaceholderData ? undefined : data;
  return (
    <Stack gap="md">
      {source.sentBy === null && mayLook && (
        <FirstEvent
          key={sourceId}
          source={source}
          hint={
            <AnchorLink to="/sources/$sourceId/connect" params={{ sourceId }} td="underline">
              Connect a client.
            </AnchorLink>
          }
        />
      )}
      <Group justify="flex-end">
        <RangePicker />
      </Group>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      <SourceCards sourceId={sourceId} stats={stats} range={rangeName(range)} />
      <SourceDestinations source={source} />
      <StatsChart what="Calls accepted" range={range} stats={stats} lines={ACCEPTED} />
      {source.sentBy === null && mayLook && <RejectionsTable sourceId={sourceId} />}
    </Stack>
  );
}
