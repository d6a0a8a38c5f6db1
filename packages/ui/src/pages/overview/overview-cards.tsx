import { SimpleGrid } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Overview, Stats } from '../../../../server/src/admin/contract.ts';
import { StatCard } from '../../components/stat-card.tsx';
import { count, duration, perSecond, share } from '../../format/number.ts';
import { changeOf, changeOfRate } from './change.ts';

interface OverviewCardsProps {
  readonly overview: Overview | undefined;
  readonly stats: Stats | undefined;
  /** `the last hour` */
  readonly range: string;
}

/** Of the chosen time what came in and what became of it; of now what waits. */
export function OverviewCards({ overview, stats, range }: OverviewCardsProps): ReactElement {
  const { total, before } = stats ?? {};
  const counts = overview?.counts;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
      <StatCard
        label="Events in"
        value={total && count(total.accepted)}
        delta={total && before ? changeOf(total.accepted, before.accepted, null) : null}
        note={overview && `${perSecond(overview.perSecond)} now`}
      />
      <StatCard
        label="Delivered"
        value={total && count(total.processed)}
        delta={total && before ? changeOf(total.processed, before.processed, null) : null}
        note={counts && `${count(counts.processed)} since the beginning`}
      />
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
      <StatCard label="Waiting" value={counts && count(counts.waiting)} note="accepted and not yet delivered" />
      <StatCard
        label="Retrying"
        value={counts && count(counts.retrying)}
        note="of those, with an attempt behind them"
      />
      <StatCard
        label="Failed"
        value={total && count(total.failed)}
        delta={total && before ? changeOf(total.failed, before.failed, false) : null}
        note={counts && `${count(counts.failed)} in all, which can be sent again`}
      />
      <StatCard
        label="Filtered"
        value={total && count(total.filtered)}
        note={counts && `${count(counts.filtered)} since the beginning`}
      />
    </SimpleGrid>
  );
}
