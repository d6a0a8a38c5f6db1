import { Group, SegmentedControl, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo, useState } from 'react';
import type { Destination, SizePoint } from '../../../server/src/admin/contract.ts';
import { share } from '../../../server/src/core/share.ts';
import type { Defined } from '../api/definitions.ts';
import { destinationsApi } from '../api/destinations.ts';
import { peopleApi } from '../api/people.ts';
import { serviceNow } from '../api/service-clock.ts';
import type { ChartData } from '../components/chart-data.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { JsonView } from '../components/json-view.tsx';
import { notifyFailed } from '../components/notify.ts';
import { SeriesChart } from '../components/series-chart.tsx';
import { StatCard } from '../components/stat-card.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { ThingLink } from '../components/thing-link.tsx';
import { Time } from '../components/time.tsx';
import { DefinitionSentence } from '../conditions/definition-sentence.tsx';
import { count } from '../format/number.ts';
import { SectionCard } from '../forms/section-card.tsx';
import { useMayChange } from '../shell/session.ts';
import type { OfKind } from './kinds.tsx';

/** The definition, its size now and over time, and the destinations of its calls. */
export function DefinitionOverview({ kind, of }: OfKind): ReactElement {
  return (
    <Stack gap="md">
      <Figures kind={kind} of={of} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <SectionCard title={kind.title}>
          <Text component="div">
            <DefinitionSentence definition={of.definition} />
          </Text>
          <details>
            <Text component="summary" w="fit-content" style={{ cursor: 'pointer' }}>
              As JSON
            </Text>
            <JsonView text={JSON.stringify(of.definition)} label="definition" height={320} />
          </details>
        </SectionCard>
        <DestinationsCard of={of} />
      </SimpleGrid>
      <SizesChart kind={kind} of={of} />
    </Stack>
  );
}

const STATES = {
  live: 'every change is followed as it happens',
  computing: 'of all persons checked; changes are sent meanwhile',
  syncing: 'told again',
};
const REBUILDING = 'profiles are being rebuilt: nothing is decided or sent until the log is read';

/** Its size, and the state of its calls. */
function Figures({ kind, of }: OfKind): ReactElement {
  const { data: status } = useQuery(peopleApi.status());
  const { size, state, progress, sentAt } = of;
  const waiting = status?.outbox;
  const rebuilding = status?.rebuilding ?? null;
  const done = rebuilding ?? progress;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="md">
      <StatCard
        label="Size"
        value={rebuilding === null ? count(size) : '–'}
        note={
          status && rebuilding === null
            ? `${kind.members}, ${share(size, status.persons)} of ${count(status.persons)} persons`
            : kind.members
        }
      />
      <StatCard
        label="State"
        value={done === null ? state : share(done, 1)}
        note={rebuilding !== null ? REBUILDING : done === null ? STATES[state] : `${state}: ${STATES[state]}`}
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

/** Its size, hour by hour, up to now. */
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
  // The current hour has a point already, dated at the hour's end: it is replaced by one for now.
  const shown = [...points.filter(({ at }) => at < now), { at: now, size }];
  return {
    at: shown.map(({ at }) => at),
    series: [{ name, color: 'busy', values: shown.map((point) => point.size) }],
  };
}

/** The destinations of its calls. */
function DestinationsCard({ of: { name, sourceId, destinationIds } }: { readonly of: Defined }): ReactElement {
  const mayChange = useMayChange();
  const connect = useMutation(destinationsApi.connect());
  const { data: destinations = [] } = useQuery(destinationsApi.list());
  const [leaving, setLeaving] = useState<Destination | null>(null);
  const connected = destinations.filter((each) => destinationIds.includes(each.id));
  const others = destinations.filter((each) => !destinationIds.includes(each.id));
  const add = (id: string): void =>
    void connect.mutateAsync({ id, sourceId, isOn: true }).catch(notifyFailed('The destination was not connected'));
  return (
    <SectionCard title="Destinations">
      {destinationIds.length === 0 && (
        <Text c="dimmed">No destination is connected: its calls are stored, and go nowhere.</Text>
      )}
      <Stack gap="xs">
        {connected.map((destination) => (
          <Group key={destination.id} gap="sm" wrap="nowrap">
            <ThingLink kind="destination" id={destination.id} name={destination.name} fw={500} />
            {!destination.enabled && <StatusBadge tone="off">off</StatusBadge>}
            {mayChange && (
              <IconButton
                ms="auto"
                icon={IconPlugConnectedX}
                label={`Disconnect ${destination.name}`}
                onClick={() => setLeaving(destination)}
              />
            )}
          </Group>
        ))}
      </Stack>
      {mayChange && others.length > 0 && (
        <Select
          aria-label="Connect a destination"
          placeholder="Connect a destination"
          data={others.map((each) => ({ value: each.id, label: each.enabled ? each.name : `${each.name} (off)` }))}
          value={null}
          disabled={connect.isPending}
          searchable
          onChange={(chosen) => chosen !== null && add(chosen)}
        />
      )}
      {mayChange && destinationIds.length > 0 && (
        <Text variant="aside">
          A destination that is connected later gets changes from then on. Sync to send it a call for each person.
        </Text>
      )}
      <ConfirmDialog
        opened={leaving !== null}
        onClose={() => setLeaving(null)}
        title={`Disconnect “${leaving?.name}” from “${name}”?`}
        action="Disconnect"
        onConfirm={async () => leaving && connect.mutateAsync({ id: leaving.id, sourceId, isOn: false })}
      >
        It gets no more calls from here, not even one that says that a person left. Calls that still wait there are
        recorded as filtered.
      </ConfirmDialog>
    </SectionCard>
  );
}
