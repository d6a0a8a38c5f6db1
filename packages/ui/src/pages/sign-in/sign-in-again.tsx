import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, Suspense, useEffect, useRef, useState } from 'react';
import type { Session } from '../../../../server/src/admin/contract.ts';
import { renewSessionBy } from '../../api/client.ts';
import { begun, onSignInElsewhere, sessionApi } from '../../api/session.ts';
import { lazyPart } from '../../lazy.ts';
import { useSession } from '../../shell/session.ts';

const SignInDialog = lazyPart(async () => (await import('./sign-in-dialog.tsx')).SignInDialog);

/** The calls that wait for a sign-in. */
interface Waiting {
  readonly over: Promise<void>;
  readonly end: () => void;
}

/**
 * Opens a sign-in over the page when its session has ended. What was typed stays, and the refused calls are sent again.
 * A sign-in in another tab counts too. If another user signs in, the page is loaded again.
 */
export function SignInAgain(): ReactElement {
  const session = useSession();
  const client = useQueryClient();
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const [wasOpened, setWasOpened] = useState(false);
  const shared = useRef<Waiting | null>(null);

  useEffect(
    () =>
      renewSessionBy(() => {
        if (shared.current === null) {
          const { promise, resolve } = Promise.withResolvers<void>();
          shared.current = { over: promise, end: resolve };
          setWaiting(shared.current);
          setWasOpened(true);
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
    client.setQueryData(sessionApi.current().queryKey, begun(now));
    shared.current?.end();
    shared.current = null;
    setWaiting(null);
  };

  useEffect(() => onSignInElsewhere(entered));

  return (
    <Suspense>{wasOpened && <SignInDialog opened={waiting !== null} session={session} onEntered={entered} />}</Suspense>
  );
}

/** The account and role of a session: the page was rendered for both. */
function whose({ account, role }: Session): string {
  return `${account?.id ?? ''} ${role}`;
}
