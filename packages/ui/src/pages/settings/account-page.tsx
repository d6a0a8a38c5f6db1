import { Card, Stack } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useSession } from '../../shell/session.ts';
import { NameForm } from './name-form.tsx';
import { PasswordForm } from './password-form.tsx';
import { SessionsCard } from './sessions-card.tsx';

/** One's own name, password and sessions. */
export function AccountPage(): ReactElement {
  const { account, role } = useSession();
  return (
    <>
      <PageHeader
        title="My account"
        documentTitle="My account · Settings"
        description={account ? `${account.email} · ${role}` : 'You signed in without an account.'}
      />
      <Stack gap="lg">
        {account ? (
          <Stack gap="md" maw={560}>
            <NameForm key={account.name} account={account} />
            <PasswordForm email={account.email} />
          </Stack>
        ) : (
          <Card padding={0}>
            <EmptyState icon={IconKey} title="You are signed in with the admin token">
              It has no name and no password. Invite yourself under People to get an account of your own: then the audit
              log says who did what.
            </EmptyState>
          </Card>
        )}
        <SessionsCard />
      </Stack>
    </>
  );
}
