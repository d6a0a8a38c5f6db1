import { Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactElement } from 'react';
import type { Account } from '../../../../server/src/admin/contract.ts';
import { accountsApi } from '../../api/accounts.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { IdleButton } from '../../components/idle-button.tsx';
import { notifyDone } from '../../components/notify.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { useSubmit } from '../../forms/use-submit.ts';
import { useMayChange } from '../../shell/session.ts';

export function NameForm({ account: { id, name } }: { readonly account: Account }): ReactElement {
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
