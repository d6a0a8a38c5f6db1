import { SegmentedControl, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import type { SignIn } from '../../../../server/src/admin/contract.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { AccountForm } from './account-form.tsx';
import { TokenForm } from './token-form.tsx';

export type Way = 'token' | 'account';

interface SignInFormProps {
  readonly by: Way;
  readonly onBy: (way: Way) => void;
  readonly busy: boolean;
  /** Null while nothing was refused. */
  readonly error: unknown;
  readonly onSubmit: (way: SignIn) => void;
}

/** Sign-in by token, or by e-mail and password. */
export function SignInForm({ by, onBy, busy, error, onSubmit }: SignInFormProps): ReactElement {
  return (
    <Stack gap="md">
      <SegmentedControl
        fullWidth
        aria-label="Sign in with"
        value={by}
        onChange={(way) => onBy(way as Way)}
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
