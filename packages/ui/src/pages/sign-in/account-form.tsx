import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import type { SignIn } from '../../../../server/src/admin/contract.ts';

interface AccountFormProps {
  readonly busy: boolean;
  readonly onSubmit: (way: SignIn) => void;
}

export function AccountForm({ busy, onSubmit }: AccountFormProps): ReactElement {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit({ email: email.trim(), password });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="E-mail"
          type="email"
          required
          autoFocus
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          required
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={busy} fullWidth>
          Sign in
        </Button>
        <Text size="xs" c="dimmed">
          Forgotten? Ask an admin to remove your account and to invite you again.
        </Text>
      </Stack>
    </form>
  );
}
