import { Select, Text } from '@mantine/core';
import { IconTrash, IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import type { Account, Role } from '../../../../server/src/admin/contract.ts';
import { accountsApi } from '../../api/accounts.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable, rowsOf } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { notifyDone, notifyFailed } from '../../components/notify.ts';
import { Time } from '../../components/time.tsx';
import { useMayChange, useSession } from '../../shell/session.ts';
import { ROLES } from './role-select.tsx';

/** All accounts, and the role of each. */
export function AccountsTable({ invite }: { readonly invite: ReactNode }): ReactElement {
  const own = useSession().account;
  const mayChange = useMayChange();
  const list = useInfiniteQuery(accountsApi.list());
  const update = useMutation(accountsApi.update());
  const remove = useMutation(accountsApi.remove());
  const [leaving, setLeaving] = useState<Account | null>(null);

  const setRole = ({ id, name }: Account, role: Role): void =>
    void update
      .mutateAsync({ id, role })
      .then(
        () => notifyDone(`${name} is ${role === 'viewer' ? 'a' : 'an'} ${role} now.`),
        notifyFailed(`The role of ${name} was not changed`),
      );

  const columns: readonly (Column<Account> | false)[] = [
    {
      header: 'Person',
      cell: ({ id, name, email }) => (
        <>
          <Text fw={500}>
            {name}
            {id === own?.id && ' (you)'}
          </Text>
          <Text variant="aside">{email}</Text>
        </>
      ),
    },
    {
      header: 'Role',
      cell: (account) =>
        mayChange && account.id !== own?.id ? (
          <Select
            aria-label={`Role of ${account.name}`}
            size="xs"
            w={120}
            data={ROLES}
            allowDeselect={false}
            // One change at a time: otherwise the answer to the first change would show a role that the second has replaced.
            readOnly={update.isPending}
            value={account.role}
            onChange={(role) => role && role !== account.role && setRole(account, role as Role)}
          />
        ) : (
          account.role
        ),
    },
    { header: 'Last sign-in', cell: ({ lastSignInAt }) => <Time at={lastSignInAt} otherwise="never" /> },
    { header: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
    mayChange && {
      header: 'Actions',
      align: 'end',
      cell: (account) =>
        account.id === own?.id ? null : (
          <IconButton icon={IconTrash} label={`Delete ${account.name}`} onClick={() => setLeaving(account)} />
        ),
    },
  ];

  return (
    <>
      <DataTable
        label="People"
        columns={columns}
        {...rowsOf(list)}
        empty={
          <EmptyState icon={IconUsers} title="There is no account yet" action={invite}>
            The admin token is the only sign-in so far. With accounts, the audit log says who did what.
          </EmptyState>
        }
      />
      <ConfirmDialog
        opened={leaving !== null}
        onClose={() => setLeaving(null)}
        title={`Delete the account of ${leaving?.name}?`}
        action="Delete the account"
        onConfirm={async () => leaving && (await remove.mutateAsync(leaving.id))}
      >
        {leaving?.email} is signed out everywhere at once and can sign in no more. What they did stays in the audit log.
      </ConfirmDialog>
    </>
  );
}
