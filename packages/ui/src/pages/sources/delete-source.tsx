import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { sourcesApi } from '../../api/sources.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone } from '../../components/notify.ts';
import { SectionCard } from '../../forms/section-card.tsx';

export function DeleteSource({ source: { id, name, revision } }: { readonly source: Source }): ReactElement {
  const navigate = useNavigate();
  const remove = useMutation(sourcesApi.remove());
  const { data: destinations = [] } = useQuery(destinationsApi.list());
  const [asking, { open, close }] = useDisclosure(false);
  const fed = destinations.filter(({ sourceIds }) => sourceIds.includes(id)).map((each) => `“${each.name}”`);
  const confirm = async (): Promise<void> => {
    await remove.mutateAsync({ id, revision });
    notifyDone(`“${name}” is deleted.`);
    await navigate({ to: '/sources' });
  };
  return (
    <SectionCard title="Delete" description="It can't be undone. To stop its calls for a while, switch it off instead.">
      <Group>
        <Button variant="subtle" color="red" onClick={open}>
          Delete this source
        </Button>
      </Group>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Delete the source “${name}”?`}
        action="Delete the source"
        typeFirst={name}
        onConfirm={confirm}
      >
        Its write key is refused from now on: every client that carries it loses its calls.{' '}
        {fed.length === 0
          ? 'No destination gets calls from it.'
          : `It leaves ${fed.join(', ')}; what still waits there from it is recorded as filtered.`}{' '}
        Delivered messages can still be seen.
      </ConfirmDialog>
    </SectionCard>
  );
}
