import { Stack } from '@mantine/core';
import { IconMailbox } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { DeliveriesTable } from './deliveries-table.tsx';
import { DeliveryFilters } from './delivery-filters.tsx';

const route = getRouteApi('/shell/destinations/$destinationId/deliveries');

/** What became of each event, newest first. */
export function DeliveriesTab(): ReactElement {
  const { destinationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isNarrowed = Object.keys(search).length > 0;
  return (
    <Stack gap="md">
      <DeliveryFilters
        search={search}
        onChange={(part) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true })}
      />
      <DeliveriesTable
        destinationId={destinationId}
        search={search}
        empty={
          <EmptyState icon={IconMailbox} title={isNarrowed ? 'Nothing fits these filters' : 'No delivery yet'}>
            {isNarrowed
              ? 'Names and user ids are compared whole, upper and lower case included. What waits for its first attempt is not listed.'
              : 'An event is listed after its first attempt, or when a filter has left it out.'}
          </EmptyState>
        }
      />
    </Stack>
  );
}
