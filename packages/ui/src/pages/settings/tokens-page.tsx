import { Button, Select, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { ApiToken, CreatedApiToken, NewApiToken } from '../../../../server/src/admin/contract.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { tokensApi } from '../../api/tokens.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable, rowsOf } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Time } from '../../components/time.tsx';
import { DialogForm, FormDialog } from '../../forms/form-dialog.tsx';
import { useSubmit } from '../../forms/use-submit.ts';
import { useMayChange } from '../../shell/session.ts';
import { RoleSelect } from './role-select.tsx';
import { ShownOnce } from './shown-once.tsx';

/** API tokens for programs. */
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
        {...rowsOf(list)}
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

const DAY = 86_400_000;

const ENDS = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

/** The form in a dialog. It starts empty each time, so that no token stays on the page after the dialog was closed. */
function TokenForm({ onClose }: { readonly onClose: () => void }): ReactElement {
  const form = useForm<NewApiToken & { days: string }>({
    initialValues: { name: '', role: 'viewer', readOnly: false, days: '' },
  });
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
  const submit = form.onSubmit(({ days, ...token }) =>
    send(
      { ...token, expiresAt: days === '' ? null : new Date(serviceNow() + Number(days) * DAY).toISOString() },
      setCreated,
    ),
  );
  return (
    <DialogForm onSubmit={submit} action="Create" busy={busy} refusal={refusal} onCancel={onClose}>
      <TextInput
        label="Name"
        description="The program that uses it; the audit log shows it."
        placeholder="Deploy pipeline"
        required
        maxLength={200}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <RoleSelect {...form.getInputProps('role')} />
      <Select
        label="Ends"
        description="From then on it is refused."
        data={ENDS}
        allowDeselect={false}
        {...form.getInputProps('days')}
      />
      <Switch
        label="Only reads"
        description="It changes nothing, also with the role admin."
        {...form.getInputProps('readOnly', { type: 'checkbox' })}
      />
    </DialogForm>
  );
}
