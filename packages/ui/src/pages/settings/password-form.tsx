import { Button, Group } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactElement } from 'react';
import { sessionApi } from '../../api/session.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { notifyDone } from '../../components/notify.ts';
import { PasswordField } from '../../components/password-field.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useSubmit } from '../../forms/use-submit.ts';

export function PasswordForm({ email }: { readonly email: string }): ReactElement {
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
        {/* So that a password manager knows whose password it is. */}
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
