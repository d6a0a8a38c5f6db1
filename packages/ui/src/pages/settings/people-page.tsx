import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconMail, IconUserPlus } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { CreatedInvite, Invite, NewInvite } from '../../../../server/src/admin/contract.ts';
import { accountsApi } from '../../api/accounts.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable, rowsOf } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';
import { DialogForm, FormDialog } from '../../forms/form-dialog.tsx';
import { useSubmit } from '../../forms/use-submit.ts';
import { useMayChange } from '../../shell/session.ts';
import { AccountsTable } from './accounts-table.tsx';
import { ROLES_IN_WORDS, RoleSelect } from './role-select.tsx';
import { ShownOnce } from './shown-once.tsx';

/** Accounts and open invites. */
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

/** The form in a dialog. It starts empty each time, so that no link stays on the page after the dialog was closed. */
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

/** Invites that have not been accepted yet. */
function InvitesTable(): ReactElement {
  const mayChange = useMayChange();
  const list = useInfiniteQuery(accountsApi.invites());
  const revoke = useMutation(accountsApi.revokeInvite());
  const [revoked, setRevoked] = useState<Invite | null>(null);
  const columns: readonly (Column<Invite> | false)[] = [
    { header: 'E-mail', cell: ({ email }) => email },
    { header: 'Role', width: '110px', cell: ({ role }) => role },
    { header: 'Invited', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { header: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    mayChange && {
      header: 'Actions',
      align: 'end',
      cell: (invite) => (
        <Button size="xs" variant="default" onClick={() => setRevoked(invite)}>
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <Section id="invites" title="Invites">
      <DataTable
        label="Invites"
        columns={columns}
        {...rowsOf(list)}
        empty={
          <EmptyState icon={IconMail} title="No open invites">
            An invite is a link that works once, for 7 days.
          </EmptyState>
        }
      />
      <ConfirmDialog
        opened={revoked !== null}
        onClose={() => setRevoked(null)}
        title={`Revoke the invite for ${revoked?.email}?`}
        action="Revoke the invite"
        onConfirm={async () => revoked && (await revoke.mutateAsync(revoked.id))}
      >
        Its link no longer works. Another invite can be made at any time.
      </ConfirmDialog>
    </Section>
  );
}
