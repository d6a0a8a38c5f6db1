import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactElement, useState } from 'react';
import type { CreatedApiToken, NewApiToken } from '../../../../server/src/admin/contract.ts';
import { tokensApi } from '../../api/tokens.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { useSubmit } from '../../forms/use-submit.ts';
import { ROLES } from './roles.ts';
import { ShownOnce } from './shown-once.tsx';

interface TokenDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function TokenDialog({ opened, onClose }: TokenDialogProps): ReactElement {
  return (
    <Modal opened={opened} onClose={onClose} title="New API token">
      <TokenForm onClose={onClose} />
    </Modal>
  );
}

/** Begins anew with each dialog, so that no token stays on the page after it was closed. */
function TokenForm({ onClose }: Pick<TokenDialogProps, 'onClose'>): ReactElement {
  const form = useForm<NewApiToken>({ initialValues: { name: '', role: 'viewer' } });
  const [created, setCreated] = useState<CreatedApiToken | null>(null);
  const { busy, refusal, send } = useSubmit(form, { ...tokensApi.create(), gcTime: 0 });

  if (created) {
    return (
      <ShownOnce
        value={created.token}
        label={`Token “${created.name}”`}
        of="the token"
        description="Keep it where the program finds it. It is not shown again."
        onClose={onClose}
      />
    );
  }
  const submit = form.onSubmit((values) => send(values, setCreated));
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="The program that uses it; the audit log shows it."
          placeholder="Deploy pipeline"
          required
          maxLength={200}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label="Role"
          description="Viewers may read everything but secrets; admins may change everything."
          data={ROLES}
          allowDeselect={false}
          {...form.getInputProps('role')}
        />
        {refusal !== null && <ErrorState error={refusal} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={busy}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
