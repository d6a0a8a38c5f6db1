import { queryOptions } from '@tanstack/react-query';
import type {
  AcceptedInvite,
  Invite,
  InviteSecret,
  ListedSession,
  PasswordChange,
  Session,
  SignIn,
} from '../../../server/src/admin/contract.ts';
import { call, get, SESSION_PATH, setCsrfToken } from './client.ts';
import { problemFrom } from './problem.ts';
import { change, paged, request } from './query.ts';

/** The other tabs of the browser. They have the same cookie: a sign-in in one tab replaces the session of all. */
const tabs = new BroadcastChannel('session');

/** Calls `hear` with each session that another tab opens. The returned function ends that. */
export function onSignInElsewhere(hear: (session: Session) => void): () => void {
  const listen = ({ data }: MessageEvent<Session>): void => hear(data);
  tabs.addEventListener('message', listen);
  return () => tabs.removeEventListener('message', listen);
}

export const sessionApi = {
  /** The account that is signed in; 401 if there is none. */
  current: () =>
    queryOptions({
      queryKey: ['session'],
      queryFn: async ({ signal }) => begun(await get<Session>(SESSION_PATH, {}, signal)),
      staleTime: 60_000,
      retry: false,
    }),
  signIn: () => request(async (way: SignIn) => opened(await call<Session>('POST', SESSION_PATH, { body: way }))),
  /** For a session that has already ended, a sign-out counts as done. */
  signOut: () =>
    request(async () => {
      await call<void>('DELETE', SESSION_PATH).catch((error: unknown) => {
        if (problemFrom(error).status !== 401) throw error;
      });
      setCsrfToken(null);
    }),
  /** Also ends every other session of the account. */
  changePassword: () => change((body: PasswordChange) => call<void>('POST', `${SESSION_PATH}/password`, { body })),
  sessions: () => paged<ListedSession>('/api/sessions'),
  endSession: () => change((id: string) => call<void>('DELETE', `/api/sessions/${id}`)),
  /** The account that an invite is for; 404 if it was used or has expired. */
  invite: (secret: string) =>
    queryOptions({
      queryKey: ['invite', secret],
      queryFn: ({ signal }) =>
        call<Invite>('POST', '/api/invites/lookup', { body: { secret } satisfies InviteSecret, signal }),
      retry: false,
      gcTime: 0,
    }),
  /** Creates the account and signs in. */
  acceptInvite: () =>
    request(async (body: AcceptedInvite) => opened(await call<Session>('POST', '/api/invites/accept', { body }))),
};

export function begun(session: Session): Session {
  setCsrfToken(session.csrfToken);
  return session;
}

function opened(session: Session): Session {
  tabs.postMessage(session);
  return begun(session);
}
