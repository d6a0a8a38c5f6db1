import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import type { CreatedInvite, NewInvite } from '../../../../server/src/admin/contract.ts';
import { accountsApi } from '../../api/accounts.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { DialogForm } from '../../forms/dialog-form.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { useSubmit } from '../../forms/use-submit.ts';
import { useMayChange } from '../../shell/session.ts';
import { AccountsTable } from './accounts-table.tsx';
import { InvitesTable } from './invites-table.tsx';
import { ROLES_IN_WORDS, RoleSelect } from './role-select.tsx';
import { ShownOnce } from './shown-once.tsx';

/** Who may sign in, and who is invited. */
export function PeoplePage(): ReactElement {
  const mayChange = useMayChange();
  const [opened, { open, close }] = useDisclosure(false);
  const invite = mayChange && (
    <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
      Invite a person
    </Button>
  );
  return (
    <>
      <PageHeader
        title="People"
        documentTitle="People · Settings"
        description={`${ROLES_IN_WORDS} The admin token always works as well.`}
        actions={invite}
      />
      <Stack gap="lg">
        <AccountsTable invite={invite} />
        <InvitesTable />
      </Stack>
      <FormDialog opened={opened} onClose={close} title="Invite a person">
        <InviteForm onClose={close} />
      </FormDialog>
    </>
  );
}

/** In a dialog. Begins anew with each, so that no link stays on the page after it was closed. */
function InviteForm({ onClose }: { readonly onClose: () => void }): ReactElement {
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
