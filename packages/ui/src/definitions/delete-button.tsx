import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { notifyDone } from '../components/notify.ts';
import { count } from '../format/number.ts';
import type { Defined, DefinitionKind } from './kinds.ts';

interface DeleteButtonProps {
  readonly kind: DefinitionKind;
  readonly of: Defined;
}

export function DeleteButton({ kind, of: { id, name, size, key, revision } }: DeleteButtonProps): ReactElement {
  const navigate = useNavigate();
  const remove = useMutation(kind.api.remove());
  const [asking, { open, close }] = useDisclosure(false);
  const confirm = async (): Promise<void> => {
    await remove.mutateAsync({ id, revision });
    notifyDone(`“${name}” is deleted.`);
    await navigate({ to: kind.list });
  };
  return (
    <>
      <Button variant="subtle" color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={open}>
        Delete
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Delete the ${kind.noun} “${name}”?`}
        action={`Delete the ${kind.noun}`}
        typeFirst={name}
        onConfirm={confirm}
      >
        Its definition and its source are deleted, and what still waits of its calls is recorded as filtered. No call is
        sent for its {count(size)} {kind.members}: receivers keep the last <code>{key}</code> they got.
      </ConfirmDialog>
    </>
  );
}
