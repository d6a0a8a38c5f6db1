import { Button, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import type { SignIn } from '../../../../server/src/admin/contract.ts';

interface TokenFormProps {
  readonly busy: boolean;
  readonly onSubmit: (way: SignIn) => void;
}

export function TokenForm({ busy, onSubmit }: TokenFormProps): ReactElement {
  const [token, setToken] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit({ token: token.trim() });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <PasswordInput
          label="Admin token"
          required
          autoFocus
          autoComplete="current-password"
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        <Button type="submit" loading={busy} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
