import { Button, PasswordInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import type { Session, SignIn } from '../../../../server/src/admin/contract.ts';
import { choices } from '../../components/choices.ts';
import { ErrorState } from '../../components/error-state.tsx';

export type Way = 'token' | 'account';

interface SignInFormProps {
  readonly by: Way;
  readonly onBy: (way: Way) => void;
  /** The address that the form starts with. */
  readonly email?: string | undefined;
  readonly signIn: UseMutationResult<Session, Error, SignIn>;
  readonly onSubmit: (way: SignIn) => void;
}

/** Sign-in by token, or by e-mail and password. */
export function SignInForm({ by, onBy, email, signIn, onSubmit }: SignInFormProps): ReactElement {
  const { isPending: busy, error } = signIn;
  const isToken = by === 'token';
  // An error of one way to sign in does not belong to the other.
  const choose = (way: string): void => {
    onBy(way as Way);
    signIn.reset();
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const said = (name: string): string => String(fields.get(name) ?? '');
    onSubmit(isToken ? { token: said('secret').trim() } : { email: said('email').trim(), password: said('secret') });
  };
  return (
    <Stack gap="md">
      <SegmentedControl
        fullWidth
        aria-label="Sign in with"
        value={by}
        onChange={choose}
        data={choices({ token: 'Admin token', account: 'E-mail' })}
      />
      {error !== null && <ErrorState error={error} />}
      <form key={by} onSubmit={submit}>
        <Stack gap="md">
          {!isToken && (
            <TextInput
              label="E-mail"
              name="email"
              type="email"
              required
              defaultValue={email}
              autoFocus={email === undefined}
              data-autofocus={email === undefined || undefined}
              autoComplete="username"
            />
          )}
          <PasswordInput
            label={isToken ? 'Admin token' : 'Password'}
            name="secret"
            required
            autoFocus={isToken || email !== undefined}
            data-autofocus={isToken || email !== undefined || undefined}
            autoComplete="current-password"
          />
          <Button type="submit" loading={busy} fullWidth>
            Sign in
          </Button>
          {!isToken && (
            <Text variant="aside">Forgotten? Ask an admin to remove your account and to invite you again.</Text>
          )}
        </Stack>
      </form>
    </Stack>
  );
}
