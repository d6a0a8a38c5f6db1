import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { ForAdmins } from '../../shell/for-admins.tsx';
import { EventTester } from './event-tester.tsx';

const route = getRouteApi('/shell/destinations/$destinationId/test');

/** Sends an event of one's choice. */
export function TestTab(): ReactElement {
  const { destinationId } = route.useParams();
  const { data: destination } = useSuspenseQuery(destinationsApi.one(destinationId));
  return (
    <ForAdmins title="Only admins send test events">
      <EventTester key={destination.id} destination={destination} />
    </ForAdmins>
  );
}
