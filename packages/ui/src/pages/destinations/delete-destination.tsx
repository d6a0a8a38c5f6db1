import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { DeleteButton } from '../../components/delete-button.tsx';
import { count } from '../../format/number.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { DESTINATION } from './kind.ts';

export function DeleteDestination({ destination }: { readonly destination: Destination }): ReactElement {
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
