import { Skeleton } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { useMayChange } from '../../shell/session.ts';
import { EventTester } from './event-tester.tsx';

const route = getRouteApi('/shell/destinations/$destinationId/test');

/** Sends an event of one's choice. */
export function TestTab(): ReactElement {
  const { destinationId } = route.useParams();
  const mayChange = useMayChange();
  const { data: destination } = useQuery(destinationsApi.one(destinationId));
  if (!mayChange) {
    return (
      <EmptyState icon={IconLock} title="Only admins send test events">
        Ask one of them.
      </EmptyState>
    );
  }
  if (!destination) return <Skeleton height={480} />;
  return <EventTester key={destination.id} destination={destination} />;
}
