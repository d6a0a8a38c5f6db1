import { Button, Group, Select, Stack, Text, Title } from '@mantine/core';
import { IconPlus, IconSend } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { statsApi } from '../../api/stats.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { IN_MAIN } from '../../components/in-main.ts';
import { notifyDone, notifyFailed } from '../../components/notify.ts';
import { SentBy } from '../../components/sent-by.tsx';
import { useMayChange } from '../../shell/session.ts';
import { DestinationsTable } from '../destinations/destinations-table.tsx';

/** Where the source's events go and how that is going, live; and how to connect one more. */
export function SourceDestinations({ source: { id, name, sentBy } }: { readonly source: Source }): ReactElement {
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
                comboboxProps={IN_MAIN}
                onChange={(chosen) =>
                  chosen !== null && void connect(chosen).catch(notifyFailed('The destination was not connected'))
                }
              />
            )}
            <Button
              component={Link}
              to="/catalog"
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} aria-hidden />}
            >
              New destination
            </Button>
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
