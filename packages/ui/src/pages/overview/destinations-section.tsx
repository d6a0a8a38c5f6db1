import { Stack, Title } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { OverviewDestination } from '../../../../server/src/admin/contract.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { DestinationsTable } from '../destinations/destinations-table.tsx';

/** Of the overview; undefined while it is on its way. */
export function DestinationsSection(props: {
  readonly destinations: readonly OverviewDestination[] | undefined;
}): ReactElement {
  return (
    <Stack component="section" gap="xs" aria-labelledby="destinations">
      <Title order={2} id="destinations">
        Destinations
      </Title>
      <DestinationsTable
        destinations={props.destinations}
        empty={<EmptyState icon={IconSend} title="No destination yet" />}
      />
    </Stack>
  );
}
