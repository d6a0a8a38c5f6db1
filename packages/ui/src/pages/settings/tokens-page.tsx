import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { ApiToken } from '../../../../server/src/admin/contract.ts';
import { tokensApi } from '../../api/tokens.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { pagedRows } from '../../components/paged-rows.ts';
import { Time } from '../../components/time.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { useMayChange } from '../../shell/session.ts';
import { TokenForm } from './token-form.tsx';

/** Tokens for programs that call the admin API. */
export function TokensPage(): ReactElement {
  const mayChange = useMayChange();
  const [opened, { open, close }] = useDisclosure(false);
  const [revoked, setRevoked] = useState<ApiToken | null>(null);
  const list = useInfiniteQuery(tokensApi.list());
  const revoke = useMutation(tokensApi.revoke());
  const columns: readonly (Column<ApiToken> | false)[] = [
    {
      header: 'Token',
      cell: ({ name }) => <Text fw={500}>{name}</Text>,
    },
    { header: 'Role', cell: ({ role, readOnly }) => (readOnly ? `${role}, only reads` : role) },
    { header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { header: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} otherwise="never" /> },
    { header: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} otherwise="never" /> },
    mayChange && {
      header: 'Actions',
      align: 'end',
      cell: (token) => (
        <Button size="xs" variant="default" onClick={() => setRevoked(token)}>
          Revoke
        </Button>
      ),
    },
  ];
  const create = mayChange && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      New token
    </Button>
  );
  return (
    <>
      <PageHeader
        title="API tokens"
        documentTitle="API tokens · Settings"
        description="For programs: sent as “Authorization: Bearer …” to the admin API."
        actions={create}
      />
      <DataTable
        label="API tokens"
        columns={columns}
        {...pagedRows(list)}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconKey} title="No API tokens yet" action={create}>
            Give each program its own token: it can be revoked by itself, and the audit log names it.
          </EmptyState>
        }
      />
      <FormDialog opened={opened} onClose={close} title="New API token">
        <TokenForm onClose={close} />
      </FormDialog>
      <ConfirmDialog
        opened={revoked !== null}
        onClose={() => setRevoked(null)}
        title={`Revoke the token “${revoked?.name}”?`}
        action="Revoke the token"
        onConfirm={async () => revoked && (await revoke.mutateAsync(revoked.id))}
      >
        Every program that uses it is refused from now on. It can't be brought back.
      </ConfirmDialog>
    </>
  );
}
