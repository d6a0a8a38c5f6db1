import { Group, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Stats } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { statsApi } from '../../api/stats.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { RangePicker } from '../../components/range-picker.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { StatsChart, type StatsLine } from '../../components/stats-chart.tsx';
import { useRange } from '../../components/use-range.ts';
import { count } from '../../format/number.ts';
import { rangeName } from '../../format/range.ts';
import { useMayLook } from '../../shell/session.ts';
import { FirstEvent } from './first-event.tsx';
import { RejectionsTable } from './rejections-table.tsx';
import { useShownSource } from './shown-source.ts';
import { SourceDestinations } from './source-destinations.tsx';

const ACCEPTED: readonly StatsLine[] = [{ name: 'accepted', color: 'busy', of: 'accepted' }];

/** What comes in from the source, and what of it was refused. */
export function SourceOverviewTab(): ReactElement {
  const mayLook = useMayLook();
  const range = useRange();
  const source = useShownSource();
  const { id: sourceId } = source;
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

interface SourceCardsProps {
  readonly sourceId: string;
  readonly stats: Stats | undefined;
  /** `the last hour` */
  readonly range: string;
}

function SourceCards({ sourceId, stats, range }: SourceCardsProps): ReactElement {
  const { data: totals } = useQuery(sourcesApi.totals(sourceId));
  return (
    <SimpleGrid cols={{ base: 2, md: totals && totals.notJoined > 0 ? 5 : 4 }} spacing="md">
      <StatCard label="Accepted" value={stats && count(stats.total.accepted)} note={`in ${range}`} />
      <StatCard
        label="Accepted in all"
        value={totals && count(totals.accepted)}
        note="since its first call, with delete messages"
      />
      <StatCard
        label="Duplicates"
        value={totals && count(totals.duplicates)}
        note="left out: the messageId was known"
      />
      <StatCard label="Rejected" value={stats && count(stats.total.rejected)} note={`in ${range}`} />
      {totals && totals.notJoined > 0 && (
        <StatCard label="Not joined" value={count(totals.notJoined)} note="ids it named that stayed apart" />
      )}
    </SimpleGrid>
  );
}
