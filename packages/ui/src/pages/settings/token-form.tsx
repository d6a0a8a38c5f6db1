import { Select, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactElement, useState } from 'react';
import type { CreatedApiToken, NewApiToken } from '../../../../server/src/admin/contract.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { tokensApi } from '../../api/tokens.ts';
import { DialogForm } from '../../forms/dialog-form.tsx';
import { useSubmit } from '../../forms/use-submit.ts';
import { RoleSelect } from './role-select.tsx';
import { ShownOnce } from './shown-once.tsx';

const DAY = 86_400_000;

const ENDS = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

/** In a dialog. Begins anew with each, so that no token stays on the page after it was closed. */
export function TokenForm({ onClose }: { readonly onClose: () => void }): ReactElement {
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
