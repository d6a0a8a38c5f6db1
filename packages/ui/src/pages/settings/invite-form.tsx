import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactElement, useState } from 'react';
import type { CreatedInvite, NewInvite } from '../../../../server/src/admin/contract.ts';
import { accountsApi } from '../../api/accounts.ts';
import { DialogForm } from '../../forms/dialog-form.tsx';
import { useSubmit } from '../../forms/use-submit.ts';
import { RoleSelect } from './role-select.tsx';
import { ShownOnce } from './shown-once.tsx';

/** In a dialog. Begins anew with each, so that no link stays on the page after it was closed. */
export function InviteForm({ onClose }: { readonly onClose: () => void }): ReactElement {
  const form = useForm<NewInvite>({ initialValues: { email: '', role: 'viewer' } });
  const [created, setCreated] = useState<CreatedInvite | null>(null);
  const { busy, refusal, send } = useSubmit(form, { ...accountsApi.invite(), gcTime: 0 });

  if (created) {
    return (
      <ShownOnce
        value={window.location.origin + created.link}
        label="Link"
        of="the link"
        description={`Hand it to ${created.email}. It works once, for 7 days, and is not shown again.`}
        onClose={onClose}
      />
    );
  }
  const submit = form.onSubmit((values) => send(values, setCreated));
  return (
    <DialogForm onSubmit={submit} action="Make the link" busy={busy} refusal={refusal} onCancel={onClose}>
      <TextInput
        label="E-mail"
        description="What they sign in with. Nothing is sent: you hand them the link."
        type="email"
        required
        data-autofocus
        {...form.getInputProps('email')}
      />
      <RoleSelect {...form.getInputProps('role')} />
    </DialogForm>
  );
}
