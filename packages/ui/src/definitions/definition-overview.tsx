import { Button, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBraces } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useMemo, useState } from 'react';
import type { SizePoint } from '../../../server/src/admin/contract.ts';
import { peopleApi } from '../api/people.ts';
import { serviceNow } from '../api/service-clock.ts';
import type { ChartData } from '../components/chart-data.ts';
import { ErrorState } from '../components/error-state.tsx';
import { JsonView } from '../components/json-view.tsx';
import { SeriesChart } from '../components/series-chart.tsx';
import { StatCard } from '../components/stat-card.tsx';
import { Time } from '../components/time.tsx';
import { count, share } from '../format/number.ts';
import { SectionCard } from '../forms/section-card.tsx';
import { DestinationsCard } from './destinations-card.tsx';
import type { OfKind } from './kinds.ts';

interface DefinitionOverviewProps extends OfKind {
  /** The definition as a sentence. */
  readonly children: ReactNode;
}

/** What it says, how large it is and was, and whom it tells. */
export function DefinitionOverview({ kind, of, children }: DefinitionOverviewProps): ReactElement {
  return (
    <Stack gap="md">
      <Figures kind={kind} of={of} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <SectionCard title={kind.title}>
          <Text component="div">{children}</Text>
          <JsonDetails definition={of.definition} />
        </SectionCard>
        <DestinationsCard of={of} />
      </SimpleGrid>
      <SizesChart kind={kind} of={of} />
    </Stack>
  );
}

/** A definition as the API has it, for who asks. */
function JsonDetails({ definition }: { readonly definition: unknown }): ReactElement {
  const [opened, { toggle }] = useDisclosure(false);
  return (
    <>
      <Button
        style={{ alignSelf: 'flex-start' }}
        size="compact-xs"
        variant="subtle"
        leftSection={<IconBraces size={14} aria-hidden />}
        aria-expanded={opened}
        onClick={toggle}
      >
        {opened ? 'Hide the JSON' : 'Show the JSON'}
      </Button>
      {opened && <JsonView text={JSON.stringify(definition)} label="definition" height={320} />}
    </>
  );
}

const STATES = {
  live: 'every change is followed as it happens',
  computing: 'of all persons checked; changes are sent meanwhile',
  syncing: 'told again',
};

/** Its size, and how it stands with what it tells. */
function Figures({ kind, of }: OfKind): ReactElement {
  const { data: status } = useQuery(peopleApi.status());
  const { size, state, progress, sentAt } = of;
  const waiting = status?.outbox;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="md">
      <StatCard
        label="Size"
        value={count(size)}
        note={
          status ? `${kind.members}, ${share(size, status.persons)} of ${count(status.persons)} persons` : kind.members
        }
      />
      <StatCard
        label="State"
        value={progress === null ? state : share(Math.floor(progress * 1_000), 1_000)}
        note={progress === null ? STATES[state] : `${state}: ${STATES[state]}`}
      />
      <StatCard
        label="Last sent"
        value={sentAt === null ? 'never' : <Time at={sentAt} />}
        note={sentAt === null ? 'no call was sent yet' : <Time at={sentAt} minutes />}
      />
      <StatCard
        label="Waiting to be sent"
        value={waiting === undefined ? undefined : count(waiting)}
        note="of all audiences and traits"
      />
    </SimpleGrid>
  );
}

const RANGES = ['7', '30', '90'];

/** How its size went, hour by hour, up to now. */
function SizesChart({ kind, of: { id, size } }: OfKind): ReactElement {
  const [days, setDays] = useState('30');
  const { data, error, refetch } = useQuery(kind.api.sizes(id, Number(days)));
  const chart = useMemo(() => data && chartOf(data, size, kind.members), [data, size, kind.members]);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <SeriesChart
      title={`Size, ${days} days`}
      data={chart}
      controls={
        <SegmentedControl
          aria-label="Time range"
          value={days}
          onChange={setDays}
          data={RANGES.map((value) => ({ value, label: `${value} d` }))}
        />
      }
    />
  );
}

function chartOf(points: readonly SizePoint[], size: number, name: string): ChartData {
  const now = new Date(serviceNow()).toISOString();
  // The hour under way has its point already, at its end.
  const shown = [...points.filter(({ at }) => at < now), { at: now, size }];
  return {
    at: shown.map(({ at }) => at),
    series: [{ name, color: 'busy', values: shown.map((point) => point.size) }],
  };
}
