import { Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { Session } from '../../../../server/src/admin/contract.ts';
import { sessionApi } from '../../api/session.ts';
import { SignInForm, type Way } from './sign-in-form.tsx';

interface SignInDialogProps {
  readonly opened: boolean;
  /** The session that has ended. */
  readonly session: Session;
  readonly onEntered: (now: Session) => void;
}

/** A sign-in dialog that closes only after a sign-in. The page that is opened under it does not take the focus from it. */
export function SignInDialog({ opened, session, onEntered }: SignInDialogProps): ReactElement {
  const signIn = useMutation(sessionApi.signIn());
  const [by, setBy] = useState<Way>(session.account === null ? 'token' : 'account');
  return (
    <Modal
      opened={opened}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Your session has ended"
    >
      <Stack gap="md" data-keeps-focus>
        <Text>
          Sign in again, and the page goes on where it is: nothing that you typed is lost.
          {session.account && ` You were signed in as ${session.account.email}.`}
        </Text>
        <SignInForm
          by={by}
          onBy={setBy}
          email={session.account?.email}
          signIn={signIn}
          onSubmit={(way) => signIn.mutate(way, { onSuccess: onEntered })}
        />
      </Stack>
    </Modal>
  );
}
