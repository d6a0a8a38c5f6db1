import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Stats } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { StatCard } from '../../components/stat-card.tsx';
import { count } from '../../format/number.ts';

interface SourceCardsProps {
  readonly sourceId: string;
  readonly stats: Stats | undefined;
  /** `the last hour` */
  readonly range: string;
}

export function SourceCards({ sourceId, stats, range }: SourceCardsProps): ReactElement {
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
