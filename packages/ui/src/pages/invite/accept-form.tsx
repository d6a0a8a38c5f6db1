import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { sessionApi } from '../../api/session.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useSubmit } from '../../forms/use-submit.ts';

interface AcceptFormProps {
  readonly secret: string;
  readonly email: string;
}

export function AcceptForm({ secret, email }: AcceptFormProps): ReactElement {
  const form = useForm({ initialValues: { name: '', password: '' } });
  const { busy, refusal, send } = useSubmit(form, sessionApi.acceptInvite());
  const queryClient = useQueryClient();
  const navigate = useNavigate();

  const submit = form.onSubmit((values) =>
    send({ secret, ...values }, (session) => {
      queryClient.clear();
      queryClient.setQueryData(sessionApi.current().queryKey, session);
      void navigate({ to: '/' });
    }),
  );

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput label="E-mail" value={email} readOnly autoComplete="username" />
        <TextInput label="Your name" required autoComplete="name" {...form.getInputProps('name')} />
        <PasswordField
          label="Password"
          description="12 characters or more; a sentence is good."
          required
          minLength={12}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        {refusal !== null && <ErrorState error={refusal} />}
        <Button type="submit" loading={busy} fullWidth>
          Join
        </Button>
      </Stack>
    </form>
  );
}
