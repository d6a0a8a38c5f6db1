import { Group, Select, Stack, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { Destination } from '../../../server/src/admin/contract.ts';
import { destinationsApi } from '../api/destinations.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { IN_MAIN } from '../components/in-main.ts';
import { notifyFailed } from '../components/notify.ts';
import { StatusBadge } from '../components/status-badge.tsx';
import { SectionCard } from '../forms/section-card.tsx';
import { useMayChange } from '../shell/session.ts';
import type { Defined } from './kinds.ts';

/** Where its calls go. */
export function DestinationsCard({ of: { name, sourceId, destinationIds } }: { readonly of: Defined }): ReactElement {
  const mayChange = useMayChange();
  const connect = useMutation(destinationsApi.connect());
  const { data: destinations = [] } = useQuery(destinationsApi.list());
  const [leaving, setLeaving] = useState<Destination | null>(null);
  const connected = destinations.filter((each) => destinationIds.includes(each.id));
  const others = destinations.filter((each) => !destinationIds.includes(each.id));
  const add = (id: string): void =>
    connect.mutate({ id, sourceId, isOn: true }, { onError: notifyFailed('The destination was not connected') });
  return (
    <SectionCard title="Destinations">
      {destinationIds.length === 0 && (
        <Text c="dimmed">No destination is connected: its calls are stored, and go nowhere.</Text>
      )}
      <Stack gap="xs">
        {connected.map((destination) => (
          <Group key={destination.id} gap="sm" wrap="nowrap">
            <AnchorLink
              to="/destinations/$destinationId"
              params={{ destinationId: destination.id }}
              fw={500}
              style={{ overflowWrap: 'anywhere' }}
            >
              {destination.name}
            </AnchorLink>
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
          comboboxProps={IN_MAIN}
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
        It gets no more calls from here, also none that says that a person left. Calls that still wait there are
        recorded as filtered.
      </ConfirmDialog>
    </SectionCard>
  );
}
