import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { incidentsApi } from '../../api/incidents.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';

/** The open incidents of a destination: what, since when, and the way to each. */
export function OpenIncident({ destinationId }: { readonly destinationId: string }): ReactElement[] {
  const { data = [] } = useQuery(incidentsApi.open());
  return data
    .filter(({ subject }) => subject.id === destinationId)
    .map(({ id, cause, since }) => (
      <Group key={id} gap="xs" align="baseline">
        <StatusBadge tone="bad">incident</StatusBadge>
        <AnchorLink to="/incidents/$incidentId" params={{ incidentId: id }} fw={600}>
          {cause}
        </AnchorLink>
        <Text c="dimmed">
          Since <Time at={since} absolute />
        </Text>
      </Group>
    ));
}
