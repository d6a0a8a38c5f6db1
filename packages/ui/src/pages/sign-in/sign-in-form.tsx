import { SegmentedControl, Stack } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Session, SignIn } from '../../../../server/src/admin/contract.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { AccountForm } from './account-form.tsx';
import { TokenForm } from './token-form.tsx';

export type Way = 'token' | 'account';

interface SignInFormProps {
  readonly by: Way;
  readonly onBy: (way: Way) => void;
  readonly signIn: UseMutationResult<Session, Error, SignIn>;
  readonly onSubmit: (way: SignIn) => void;
}

/** Sign-in by token, or by e-mail and password. */
export function SignInForm({ by, onBy, signIn, onSubmit }: SignInFormProps): ReactElement {
  const { isPending: busy, error } = signIn;
  // What was refused is nothing that the other way says.
  const choose = (way: string): void => {
    onBy(way as Way);
    signIn.reset();
  };
  return (
    <Stack gap="md">
      <SegmentedControl
        fullWidth
        aria-label="Sign in with"
        value={by}
        onChange={choose}
        data={[
          { value: 'token', label: 'Admin token' },
          { value: 'account', label: 'E-mail' },
        ]}
      />
      {error !== null && <ErrorState error={error} />}
      {by === 'token' ? <TokenForm busy={busy} onSubmit={onSubmit} /> : <AccountForm busy={busy} onSubmit={onSubmit} />}
    </Stack>
  );
}
