import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone } from '../../components/notify.ts';
import { count } from '../../format/number.ts';
import { SectionCard } from '../../forms/section-card.tsx';

export function DeleteDestination({
  destination: { id, name, revision },
}: {
  readonly destination: Destination;
}): ReactElement {
  const navigate = useNavigate();
  const remove = useMutation(destinationsApi.remove());
  const { data: counts } = useQuery(destinationsApi.counts(id));
  const [asking, { open, close }] = useDisclosure(false);
  const waiting = counts?.waiting ?? 0;
  const confirm = async (): Promise<void> => {
    await remove.mutateAsync({ id, revision });
    notifyDone(`“${name}” is deleted.`);
    await navigate({ to: '/destinations' });
  };
  return (
    <SectionCard title="Delete" description="It can't be undone. To stop deliveries for a while, pause it instead.">
      <Group>
        <Button variant="subtle" color="red" onClick={open}>
          Delete this destination
        </Button>
      </Group>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Delete the destination “${name}”?`}
        action="Delete the destination"
        typeFirst={name}
        onConfirm={confirm}
      >
        Its URLs, headers, secret and filter are deleted.{' '}
        {waiting === 0
          ? 'Nothing waits for it.'
          : `${count(waiting)} ${waiting === 1 ? 'event that waits for it is' : 'events that wait for it are'} dropped, never to be delivered.`}{' '}
        Delivered messages can still be seen on their own pages.
      </ConfirmDialog>
    </SectionCard>
  );
}
