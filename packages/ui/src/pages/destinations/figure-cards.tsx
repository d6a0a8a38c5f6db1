import { SimpleGrid } from '@mantine/core';
import type { ReactElement } from 'react';
import type { OverviewDestination, Stats } from '../../../../server/src/admin/contract.ts';
import { StatCard } from '../../components/stat-card.tsx';
import { Time } from '../../components/time.tsx';
import { count, duration, share } from '../../format/number.ts';
import { changeOf, changeOfRate } from '../overview/change.ts';

interface FigureCardsProps {
  readonly seen: OverviewDestination | undefined;
  readonly stats: Stats | undefined;
  /** `the last hour` */
  readonly range: string;
}

/** Of the chosen time how much and how fast; of now what waits. */
export function FigureCards({ seen, stats, range }: FigureCardsProps): ReactElement {
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
