import { Alert, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { useMayChange } from '../../shell/session.ts';
import { DeleteDestination } from './delete-destination.tsx';
import { SettingsForm } from './settings-form.tsx';

const route = getRouteApi('/shell/destinations/$destinationId/settings');

/** Everything that can be changed. A viewer sees it and can't touch it. */
export function SettingsTab(): ReactElement {
  const { destinationId } = route.useParams();
  const mayChange = useMayChange();
  const { data: destination } = useSuspenseQuery(destinationsApi.one(destinationId));
  return (
    <Stack gap="md">
      {!mayChange && (
        <Alert color="gray" maw={820}>
          You may look at these settings. Ask an admin to change them.
        </Alert>
      )}
      <SettingsForm destination={destination} />
      {mayChange && <DeleteDestination destination={destination} />}
    </Stack>
  );
}
