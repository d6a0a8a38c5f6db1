import { Group, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconPlus, IconSend } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Source, Stats } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { sourcesApi } from '../../api/sources.ts';
import { statsApi } from '../../api/stats.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { notifyDone, notifyFailed } from '../../components/notify.ts';
import { RangePicker, useRange } from '../../components/range-picker.tsx';
import { SentBy } from '../../components/sent-by.tsx';
import { StatsChart, type StatsLine } from '../../components/series-chart.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { count } from '../../format/number.ts';
import { rangeName } from '../../format/range.ts';
import { useMayChange, useMayLook } from '../../shell/session.ts';
import { DestinationsTable } from '../destinations/destinations-table.tsx';
import { FirstEvent } from './first-event.tsx';
import { RejectionsTable } from './rejections-table.tsx';
import { useShownSource } from './shown-source.ts';

const ACCEPTED: readonly StatsLine[] = [{ name: 'accepted', color: 'busy', of: 'accepted' }];

/** The accepted and the refused calls of the source. */
export function SourceOverviewTab(): ReactElement {
  const mayLook = useMayLook();
  const range = useRange();
  const source = useShownSource();
  const { id: sourceId } = source;
  const { data, error, refetch, isPlaceholderData } = useQuery(statsApi.over(range, sourceId));
  // The numbers are still those of another range or another source.
  const stats = isPlaceholderData ? undefined : data;
  return (
    <Stack gap="md">
      {source.sentBy === null && mayLook && (
        <FirstEvent
          key={sourceId}
          source={source}
          hint={
            <AnchorLink to="/sources/$id/connect" params={{ id: sourceId }} td="underline">
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
      <StatCard
        label="Rejected"
        value={stats && count(stats.total.rejected)}
        note={`in ${range}, without suppressed users`}
      />
      {totals && totals.notJoined > 0 && (
        <StatCard label="Not joined" value={count(totals.notJoined)} note="ids it named that stayed apart" />
      )}
    </SimpleGrid>
  );
}

/** The destinations of the source's events and their state, live; and how to connect another one. */
function SourceDestinations({ source: { id, name, sentBy } }: { readonly source: Source }): ReactElement {
  const mayChange = useMayChange() && sentBy === null;
  const { data, error, refetch } = useQuery(statsApi.overview());
  const connecting = useMutation(destinationsApi.connect());
  const connected = data?.destinations.filter(({ sourceIds }) => sourceIds.includes(id));
  const others = data?.destinations.filter(({ sourceIds }) => !sourceIds.includes(id)) ?? [];
  const connect = async (destinationId: string): Promise<void> => {
    const { name: to, enabled } = await connecting.mutateAsync({ id: destinationId, sourceId: id, isOn: true });
    const gets = enabled ? 'gets' : 'is off. Once it is on it gets';
    notifyDone(`“${to}” ${gets} what “${name}” sends from ${enabled ? 'now' : 'then'} on.`);
  };
  return (
    <Stack component="section" gap="xs" aria-labelledby="source-destinations">
      <Group justify="space-between" align="end">
        <div>
          <Title id="source-destinations">Destinations</Title>
          <Text c="dimmed">They take this source's events. Numbers are those of all their sources together.</Text>
        </div>
        {mayChange && (
          <Group gap="xs">
            {others.length > 0 && (
              <Select
                aria-label="Connect a destination"
                placeholder="Connect a destination"
                size="xs"
                w={220}
                data={others.map((each) => ({
                  value: each.id,
                  label: each.health === 'off' ? `${each.name} (off)` : each.name,
                }))}
                value={null}
                disabled={connecting.isPending}
                searchable
                onChange={(chosen) =>
                  chosen !== null && void connect(chosen).catch(notifyFailed('The destination was not connected'))
                }
              />
            )}
            <ButtonLink to="/catalog" variant="default" size="xs" leftSection={<IconPlus size={14} aria-hidden />}>
              New destination
            </ButtonLink>
          </Group>
        )}
      </Group>
      <DestinationsTable
        rows={connected}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon={IconSend} title="No destination takes its events">
            {sentBy === null ? (
              'They are accepted and kept. One that is connected later gets later events; a replay of all events brings it the earlier ones.'
            ) : (
              <>
                Destinations are connected to <SentBy id={sentBy} />.
              </>
            )}
          </EmptyState>
        }
      />
    </Stack>
  );
}
