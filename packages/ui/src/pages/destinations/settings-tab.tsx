import { Alert, Fieldset, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { useMayChange } from '../../shell/session.ts';
import { BasicsForm } from './basics-form.tsx';
import { DeleteDestination } from './delete-destination.tsx';
import { EventAgeForm } from './event-age-form.tsx';
import { SecretForm } from './secret-form.tsx';
import { TestMessage } from './test-message.tsx';
import { TrackFilterForm } from './track-filter-form.tsx';
import { WebhooksForm } from './webhooks-form.tsx';

const route = getRouteApi('/shell/destinations/$destinationId/settings');

/** Everything that can be changed, each part saved by itself. A viewer sees it and can't touch it. */
export function SettingsTab(): ReactElement {
  const { destinationId } = route.useParams();
  const mayChange = useMayChange();
  const { data: destination } = useQuery(destinationsApi.one(destinationId));
  if (!destination) return <Skeleton height={480} />;
  return (
    <Stack gap="md" maw={820}>
      {!mayChange && (
        <Alert color="gray" variant="light">
          You may look at these settings. Ask an admin to change them.
        </Alert>
      )}
      <Fieldset variant="unstyled" disabled={!mayChange}>
        <Stack gap="md">
          <BasicsForm destination={destination} />
          <WebhooksForm destination={destination} />
          <SecretForm destination={destination} />
          <TrackFilterForm destination={destination} />
          <EventAgeForm destination={destination} />
          {mayChange && (
            <>
              <TestMessage destination={destination} />
              <DeleteDestination destination={destination} />
            </>
          )}
        </Stack>
      </Fieldset>
    </Stack>
  );
}
