import { Alert, Group, Stack } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { DeleteButton } from '../../components/delete-button.tsx';
import { count } from '../../format/number.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange } from '../../shell/session.ts';
import { DESTINATION } from './kind.ts';
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

function DeleteDestination({ destination }: { readonly destination: Destination }): ReactElement {
  const { data: counts } = useQuery(destinationsApi.counts(destination.id));
  const waiting = counts?.waiting;
  return (
    <SectionCard title="Delete" description="It can't be undone. To stop deliveries for a while, pause it instead.">
      <Group>
        <DeleteButton
          kind={DESTINATION}
          of={destination}
          remove={destinationsApi.remove()}
          label="Delete this destination"
        >
          Its URLs, headers, secret and filter are deleted.{' '}
          {waiting === undefined
            ? 'How many events wait for it is not known yet: they are dropped.'
            : waiting === 0
              ? 'Nothing waits for it.'
              : `${count(waiting)} ${waiting === 1 ? 'event that waits for it is' : 'events that wait for it are'} dropped, never to be delivered.`}{' '}
          Delivered messages can still be seen on their own pages.
        </DeleteButton>
      </Group>
    </SectionCard>
  );
}
