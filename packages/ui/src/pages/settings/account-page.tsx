import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconDevices, IconKey } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Account, ListedSession } from '../../../../server/src/admin/contract.ts';
import { accountsApi } from '../../api/accounts.ts';
import { sessionApi } from '../../api/session.ts';
import { type Column, rowsOf, TableSection } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { IdleButton } from '../../components/idle-button.tsx';
import { notifyDone, notifyFailed } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { Time } from '../../components/time.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useSubmit } from '../../forms/use-submit.ts';
import { useMayChange, useSession } from '../../shell/session.ts';

/** The user's own name, password and sessions. */
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
          <EmptyState icon={IconKey} title="You are signed in with the admin token">
            It has no name and no password. Invite yourself under People to get an account of your own: then the audit
            log says who did what.
          </EmptyState>
        )}
        <SessionsCard />
      </Stack>
    </>
  );
}

function NameForm({ account: { id, name } }: { readonly account: Account }): ReactElement {
  const mayChange = useMayChange();
  const form = useForm({ initialValues: { name } });
  const { busy, refusal, send } = useSubmit(form, accountsApi.update());
  const submit = form.onSubmit((values) => send({ id, ...values }, () => notifyDone('Your name was changed.')));
  return (
    <form onSubmit={submit}>
      <SectionCard title="Name">
        <TextInput
          label="Your name"
          description={mayChange ? undefined : 'Ask an admin to change it.'}
          required
          disabled={!mayChange}
          maxLength={200}
          autoComplete="name"
          {...form.getInputProps('name')}
        />
        {refusal !== null && <ErrorState error={refusal} />}
        {mayChange && (
          <Group>
            <IdleButton type="submit" idle={!form.isDirty()} loading={busy}>
              Save the name
            </IdleButton>
          </Group>
        )}
      </SectionCard>
    </form>
  );
}

function PasswordForm({ email }: { readonly email: string }): ReactElement {
  const form = useForm({ initialValues: { current: '', password: '' } });
  const { busy, refusal, send } = useSubmit(form, { ...sessionApi.changePassword(), gcTime: 0 });
  const submit = form.onSubmit((values) =>
    send(values, () => {
      form.reset();
      notifyDone('Your password was changed. Your other sessions have ended.');
    }),
  );
  return (
    <form onSubmit={submit}>
      <SectionCard title="Password" description="A new one ends your sessions in every other browser.">
        {/* Tells a password manager which account the password belongs to. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label="Current password"
          required
          autoComplete="current-password"
          {...form.getInputProps('current')}
        />
        <PasswordField
          label="New password"
          description="12 characters or more; a sentence is good."
          required
          minLength={12}
          maxLength={200}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        {refusal !== null && <ErrorState error={refusal} />}
        <Group>
          <Button type="submit" loading={busy}>
            Change the password
          </Button>
        </Group>
      </SectionCard>
    </form>
  );
}

const WAYS: Readonly<Record<ListedSession['way'], string>> = {
  password: 'password',
  token: 'admin token',
  link: 'one-time link',
};

/** Sessions, each with a button to end it: the user's own; for an admin, everybody's. */
function SessionsCard(): ReactElement {
  const list = useInfiniteQuery(sessionApi.sessions());
  const end = useMutation(sessionApi.endSession());
  const columns: Column<ListedSession>[] = [
    {
      header: 'Signed in',
      cell: ({ email, way, current }) => (
        <>
          <Text fw={500}>
            {email ?? WAYS[way]}
            {current && ' (this one)'}
          </Text>
          <Text variant="aside">by {WAYS[way]}</Text>
        </>
      ),
    },
    { header: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { header: 'Last used', cell: ({ usedAt }) => <Time at={usedAt} /> },
    { header: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      header: 'Actions',
      align: 'end',
      cell: ({ id, current }) =>
        current ? null : (
          <Button
            size="xs"
            variant="default"
            loading={end.isPending && end.variables === id}
            onClick={() => void end.mutateAsync(id).catch(notifyFailed('The session was not ended'))}
          >
            End
          </Button>
        ),
    },
  ];
  return (
    <TableSection
      id="sessions"
      label="Sessions"
      columns={columns}
      {...rowsOf(list)}
      empty={<EmptyState icon={IconDevices} title="No sessions" />}
    />
  );
}
