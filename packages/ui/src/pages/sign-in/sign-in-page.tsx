import { Center, Loader } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { SignIn } from '../../../../server/src/admin/contract.ts';
import { sessionApi } from '../../api/session.ts';
import { Entrance } from '../../shell/entrance.tsx';
import { SignInForm, type Way } from './sign-in-form.tsx';

const route = getRouteApi('/sign-in');

/** Sign-in by token or by e-mail and password; or without a form, by the one-time link of the first start. */
export function SignInPage(): ReactElement {
  const { next } = route.useSearch();
  const [by, setBy] = useState<Way>('token');
  const router = useRouter();
  const queryClient = useQueryClient();
  const signIn = useMutation(sessionApi.signIn());

  const enter = (way: SignIn): void =>
    signIn.mutate(way, {
      onSuccess: (session) => {
        queryClient.clear();
        queryClient.setQueryData(sessionApi.current().queryKey, session);
        router.history.push(next ?? '/');
      },
    });

  const begun = useRef(false);
  useEffect(() => {
    const link = begun.current ? null : takeLink();
    begun.current = true;
    if (link !== null) enter({ link });
  });

  const byLink = signIn.variables !== undefined && 'link' in signIn.variables;
  if (byLink && !signIn.isError) {
    return (
      <Entrance title="Signing you in">
        <Center role="status" aria-label="Signing you in">
          <Loader size="sm" />
        </Center>
      </Entrance>
    );
  }
  return (
    <Entrance
      title="Sign in"
      description={
        by === 'token'
          ? 'With the MILLRACE_ADMIN_TOKEN that was set. Where none was, the first start printed one; a process without a cluster keeps it in its data folder.'
          : 'With the password that you chose when you were invited.'
      }
    >
      <SignInForm by={by} onBy={setBy} signIn={signIn} onSubmit={enter} />
    </Entrance>
  );
}

/** The secret of a one-time link (`#link=…`), removed from the address so that the history does not keep it; null if there is none. */
function takeLink(): string | null {
  const link = new URLSearchParams(window.location.hash.slice(1)).get('link');
  if (link !== null) history.replaceState(history.state, '', window.location.pathname + window.location.search);
  return link;
}
