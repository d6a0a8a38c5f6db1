import { Stack } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Overview } from '../../../../server/src/admin/contract.ts';
import { statsApi } from '../../api/stats.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { LoopbackNote } from '../../components/loopback-note.tsx';
import { type Range, rangeName } from '../../format/range.ts';
import { BackupAge } from './backup-age.tsx';
import { DeliveriesChart } from './deliveries-chart.tsx';
import { DestinationsSection } from './destinations-section.tsx';
import { OverviewCards } from './overview-cards.tsx';
import { SourcesSection } from './sources-section.tsx';

interface FiguresProps {
  readonly overview: UseQueryResult<Overview>;
  readonly range: Range;
}

/** What is known stays while the service does not answer, under the words that say so. */
export function Figures({ overview, range }: FiguresProps): ReactElement {
  const stats = useQuery(statsApi.over(range));
  const failed = [overview, stats].filter(({ error }) => error !== null);
  const name = rangeName(range);
  // Until it is known whether there is anything to see, the chart's code is not loaded.
  const isUnknown = overview.isPending;
  return (
    <Stack gap="md">
      {failed[0] && (
        <ErrorState error={failed[0].error} onRetry={() => void Promise.all(failed.map(({ refetch }) => refetch()))} />
      )}
      <LoopbackNote />
      <OverviewCards overview={overview.data} stats={stats.data} range={name} />
      <DeliveriesChart title={`Deliveries, ${name.replace(/^the /, '')}`} stats={isUnknown ? undefined : stats.data} />
      <DestinationsSection destinations={overview.data?.destinations} />
      <SourcesSection sources={overview.data?.sources} />
      <BackupAge />
    </Stack>
  );
}
