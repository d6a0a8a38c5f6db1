import { Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Overview } from '../../../../server/src/admin/contract.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { LoopbackNote } from '../../components/loopback-note.tsx';
import { type Range, rangeName } from '../../format/range.ts';
import { BackupAge } from './backup-age.tsx';
import { DeliveriesChart } from './deliveries-chart.tsx';
import { DestinationsSection } from './destinations-section.tsx';
import { OverviewCards } from './overview-cards.tsx';
import { Problems } from './problems.tsx';
import { SourcesSection } from './sources-section.tsx';

interface FiguresProps {
  readonly overview: UseQueryResult<Overview>;
  readonly range: Range;
}

/** What is known stays while the service does not answer, under the words that say so. */
export function Figures({ overview, range }: FiguresProps): ReactElement {
  const stats = overview.data?.stats ?? undefined;
  const name = rangeName(range);
  return (
    <Stack gap="md">
      {overview.error && <ErrorState error={overview.error} onRetry={() => void overview.refetch()} />}
      <Problems overview={overview.data} isOld={overview.error !== null} />
      <LoopbackNote />
      <OverviewCards overview={overview.data} stats={stats} />
      <DeliveriesChart title={`Deliveries, ${name.replace(/^the /, '')}`} stats={stats} />
      <DestinationsSection destinations={overview.data?.destinations} />
      <SourcesSection sources={overview.data?.sources} />
      <BackupAge />
    </Stack>
  );
}
