import { Modal } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { SourceForm } from './source-form.tsx';

interface NewSourceDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Leads to the new source's page, where its key and its snippets are. */
export function NewSourceDialog({ opened, onClose }: NewSourceDialogProps): ReactElement {
  const navigate = useNavigate();
  return (
    <Modal opened={opened} onClose={onClose} title="New source" size="lg">
      <SourceForm
        onCancel={onClose}
        onCreated={({ id }) => void navigate({ to: '/sources/$sourceId/connect', params: { sourceId: id } })}
      />
    </Modal>
  );
}
