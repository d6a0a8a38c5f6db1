import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { PageHeader } from '../../components/page-header.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { useMayChange } from '../../shell/session.ts';
import { AccountsTable } from './accounts-table.tsx';
import { InviteForm } from './invite-form.tsx';
import { InvitesTable } from './invites-table.tsx';
import { ROLES_IN_WORDS } from './role-select.tsx';

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
