import { SimpleGrid } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Overview, Stats } from '../../../../server/src/admin/contract.ts';
import { StatCard } from '../../components/stat-card.tsx';
import { Time } from '../../components/time.tsx';
import { count, duration, perSecond, share } from '../../format/number.ts';
import { changeOf } from './change.ts';

interface OverviewCardsProps {
  readonly overview: Overview | undefined;
  readonly stats: Stats | undefined;
}

/** Of the chosen time what came in and what became of it; of now what waits. */
export function OverviewCards({ overview, stats }: OverviewCardsProps): ReactElement {
  const { total, before } = stats ?? {};
  const counts = overview?.counts;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
      <StatCard
        label="Accepted"
        value={total && count(total.accepted)}
        delta={total && before ? changeOf(total.accepted, before.accepted, null) : null}
        note={overview && `${perSecond(overview.perSecond)} now`}
      />
      <StatCard
        label="Delivered"
        value={total && count(total.processed)}
        delta={total && before ? changeOf(total.processed, before.processed, null) : null}
        note={
          total &&
          `${share(total.attempts - total.attemptsFailed, total.attempts)} of attempts succeeded, p95 ${duration(total.p95)}`
        }
      />
      <StatCard
        label="Failed"
        value={total && count(total.failed)}
        delta={total && before ? changeOf(total.failed, before.failed, false) : null}
        note={counts && `${count(counts.failed)} in all, which can be sent again`}
      />
      <StatCard
        label="Waiting"
        value={counts && count(counts.waiting)}
        note={
          overview && (
            <>
              oldest: <Time at={oldestOf(overview)} otherwise="nothing waits" />
              {overview.counts.retrying > 0 && `, ${count(overview.counts.retrying)} retrying`}
            </>
          )
        }
      />
    </SimpleGrid>
  );
}

/** ISO 8601 in UTC: the least text is the earliest. */
function oldestOf({ destinations }: Overview): string | null {
  return destinations.flatMap(({ oldestWaitingAt }) => oldestWaitingAt ?? []).toSorted()[0] ?? null;
}
