import { Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { Session } from '../../../../server/src/admin/contract.ts';
import { renewSessionBy } from '../../api/client.ts';
import { sessionApi } from '../../api/session.ts';
import { useSession } from '../../shell/session.ts';
import { SignInForm, type Way } from './sign-in-form.tsx';

/** The calls that wait for one sign-in. */
interface Waiting {
  readonly over: Promise<void>;
  readonly end: () => void;
}

/**
 * Opens a sign-in over the page when its session has ended: what was typed stays, and the calls that were refused are made
 * again. Another user who signs in gets the page anew.
 */
export function SignInAgain(): ReactElement {
  const session = useSession();
  const client = useQueryClient();
  const signIn = useMutation(sessionApi.signIn());
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const [by, setBy] = useState<Way>(session.account === null ? 'token' : 'account');
  const shared = useRef<Waiting | null>(null);

  useEffect(
    () =>
      renewSessionBy(() => {
        if (shared.current === null) {
          const { promise, resolve } = Promise.withResolvers<void>();
          shared.current = { over: promise, end: resolve };
          setWaiting(shared.current);
        }
        return shared.current.over;
      }),
    [],
  );

  const entered = (now: Session): void => {
    if (whose(now) !== whose(session)) {
      window.location.reload();
      return;
    }
    client.setQueryData(sessionApi.current().queryKey, now);
    shared.current = null;
    setWaiting(null);
    waiting?.end();
  };

  return (
    <Modal
      opened={waiting !== null}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Your session has ended"
    >
      <Stack gap="md">
        <Text>
          Sign in again, and the page goes on where it is: nothing that you typed is lost.
          {session.account && ` You were signed in as ${session.account.email}.`}
        </Text>
        <SignInForm
          by={by}
          onBy={(way) => {
            setBy(way);
            signIn.reset();
          }}
          busy={signIn.isPending}
          error={signIn.error}
          onSubmit={(way) => signIn.mutate(way, { onSuccess: entered })}
        />
      </Stack>
    </Modal>
  );
}

/** Whose session it is, and what they may do: the page was made for both. */
function whose({ account, role }: Session): string {
  return `${account?.id ?? ''} ${role}`;
}
