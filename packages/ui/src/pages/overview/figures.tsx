import { SimpleGrid, Stack, Text } from '@mantine/core';
import { IconPlugConnected, IconSend } from '@tabler/icons-react';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Overview, Stats } from '../../../../server/src/admin/contract.ts';
import { share } from '../../../../server/src/core/share.ts';
import { backupsApi } from '../../api/backups.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { LoopbackNote } from '../../components/loopback-note.tsx';
import { Section } from '../../components/section.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { Time } from '../../components/time.tsx';
import { count, duration, perSecond } from '../../format/number.ts';
import type { Range } from '../../format/range.ts';
import { DestinationsTable } from '../destinations/destinations-table.tsx';
import { SourcesTable } from '../sources/sources-table.tsx';
import { changeOf } from './change.ts';
import { DeliveriesChart } from './deliveries-chart.tsx';
import { Problems } from './problems.tsx';

interface FiguresProps {
  readonly overview: UseQueryResult<Overview>;
  readonly range: Range;
}

/**
 * The known numbers stay while the service does not answer, below a note that says so. The tables list all that the
 * numbers count, also the sources of audiences and computed traits.
 */
export function Figures({ overview, range }: FiguresProps): ReactElement {
  const stats = overview.data?.stats ?? undefined;
  return (
    <Stack gap="md">
      {overview.error && <ErrorState error={overview.error} onRetry={() => void overview.refetch()} />}
      {(overview.data || !overview.error) && <Problems overview={overview.data} isOld={overview.error !== null} />}
      <LoopbackNote />
      <OverviewCards overview={overview.data} stats={stats} />
      <DeliveriesChart range={range} stats={stats} />
      <Section id="destinations" title="Destinations">
        <DestinationsTable
          rows={overview.data?.destinations}
          empty={<EmptyState icon={IconSend} title="No destination yet" />}
        />
      </Section>
      <Section id="sources" title="Sources">
        <SourcesTable
          rows={overview.data?.sources}
          empty={<EmptyState icon={IconPlugConnected} title="No source yet" />}
        />
      </Section>
      <BackupAge />
    </Stack>
  );
}

/** The age of the last complete backup. Renders nothing if the service makes no backups. */
function BackupAge(): ReactElement | null {
  const { data } = useQuery(backupsApi.list());
  if (!data || data.directory === null) return null;
  const [newest] = data.items;
  const last = data.items.find(({ state }) => state === 'complete');
  return (
    <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      Last backup: <Time at={last?.at ?? null} otherwise="none yet" />.
      {newest?.state === 'running' && ' One is under way.'}
      {newest?.state === 'failed' && (
        <>
          {' '}
          The one begun <Time at={newest.at} /> failed: {newest.reason}
        </>
      )}
    </Text>
  );
}

interface OverviewCardsProps {
  readonly overview: Overview | undefined;
  readonly stats: Stats | undefined;
}

/** For the chosen range, received events and their outcomes; for now, the waiting messages. */
function OverviewCards({ overview, stats }: OverviewCardsProps): ReactElement {
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
        note={counts && `${count(counts.failed)} in all`}
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

/** All times are ISO 8601 in UTC, so the smallest text is the earliest time. */
function oldestOf({ destinations }: Overview): string | null {
  return destinations.flatMap(({ oldestWaitingAt }) => oldestWaitingAt ?? []).toSorted()[0] ?? null;
}
