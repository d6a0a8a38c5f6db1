import { finished } from 'node:stream';
import type { Caller, OpenSession } from '../../accounts/caller.ts';
import { hashOf } from '../../accounts/secrets.ts';
import type { ListedSession } from '../../accounts/sessions.ts';
import type { Credentials } from '../../accounts/sign-in.ts';
import { Fault } from '../../core/fault.ts';
import { listedSessionView, sessionView } from '../account-views.ts';
import { refusalAudit } from '../audit.ts';
import { callerOf } from '../caller.ts';
import { oldestFirst, pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { refuse } from '../input.ts';
import * as schemas from '../schemas/account.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { clearSessionCookie, otherSecrets, sessionSecrets, setSessionCookie } from '../session-cookie.ts';
import { type AdminApp, found, nothing, refusals, routesOf } from './route.ts';

/** The session of the web interface: signing in and out. */
export function sessionRoutes(app: AdminApp, deps: AdminDeps): void {
  const routes = routesOf(app, 'Sign-in');
  const { accounts } = deps;
  const noteRefusal = refusalAudit(deps, 'session.refuse');
  /** Ends sessions that the browser sent: a later request could be of one that is still open. */
  const close = async (secrets: readonly string[]): Promise<void> => {
    await Promise.all(secrets.map((secret) => accounts.sessions.close({ hash: hashOf(secret) })));
  };

  routes.post('/session', {
    role: 'anyone',
    action: 'session.create',
    operationId: 'signIn',
    summary: 'Sign in',
    description:
      'Sets the session cookie. After ten failures in fifteen minutes, of one address on one account, a password is looked at ' +
      'every 30 s.',
    security: [],
    body: schemas.SignIn,
    response: { 201: schemas.Session, ...refusals() },
    handler: async (request, reply) => {
      const credentials = credentialsOf(request.body);
      try {
        const opened = await accounts.signIn(credentials, request.address);
        const { caller, session } = opened;
        request.caller = caller;
        const giveUp = (): Promise<void> =>
          opened.giveUp().catch((error: unknown) => {
            request.log.warn({ err: error }, 'a session could not be ended, and its client did not get its secret');
          });
        finished(reply.raw, (gone) => void (gone && giveUp()));
        await close(otherSecrets(request)).catch(async (error: unknown) => {
          await giveUp();
          throw error;
        });
        setSessionCookie(request, reply, session);
        return sessionView(caller, session);
      } catch (error) {
        if (error instanceof Fault && error.code === 'unauthorized') await noteRefusal(request, claimed(credentials));
        throw error;
      }
    },
  });

  routes.get('/session', {
    role: 'observer',
    operationId: 'getSession',
    summary: 'Who is signed in',
    response: { 200: schemas.Session, ...refusals(404) },
    handler: async (request) => {
      const caller = callerOf(request);
      return sessionView(caller, sessionOf(caller));
    },
  });

  routes.get('/sessions', {
    role: 'observer',
    operationId: 'listSessions',
    summary: 'List the sessions that are open, oldest first',
    description:
      "One's own; an admin sees all. A session ends 14 days after it was used last, and after 30 days at the latest.",
    querystring: pageQuery,
    response: { 200: pageOf(schemas.ListedSession), ...refusals() },
    handler: async (request) => {
      const caller = callerOf(request);
      const emails = new Map((await accounts.people.list()).map(({ id, email }) => [id, email]));
      return pageOfAll(await visibleTo(caller, accounts), oldestFirst, request.query, (session) =>
        listedSessionView(session, emails.get(session.accountId ?? '') ?? null, caller.session),
      );
    },
  });

  routes.delete('/sessions/:id', {
    role: 'observer',
    action: 'session.end',
    operationId: 'endSession',
    summary: 'End a session',
    description: "One of one's own; an admin may end any.",
    response: { 204: nothing, ...refusals(404) },
    handler: async (request) => {
      const { id } = request.params;
      const open = await visibleTo(callerOf(request), accounts);
      await accounts.sessions.close(
        found(
          open.find((session) => session.id === id),
          `session ${id}`,
        ),
      );
    },
  });

  routes.delete('/session', {
    role: 'observer',
    action: 'session.delete',
    operationId: 'signOut',
    summary: 'Sign out',
    response: { 204: nothing, ...refusals(404) },
    handler: async (request, reply) => {
      sessionOf(callerOf(request));
      await close(sessionSecrets(request));
      clearSessionCookie(request, reply);
    },
  });

  routes.post('/session/password', {
    role: 'observer',
    action: 'session.change_password',
    operationId: 'changePassword',
    summary: "Change one's password",
    description: "Ends one's other sessions.",
    body: schemas.PasswordChange,
    response: { 204: nothing, ...refusals(409) },
    handler: async (request) => {
      const { current, password } = request.body;
      const changed = await accounts.people.changePassword(callerOf(request), current, password);
      if (!changed) refuse('current', 'is not your password');
    },
  });
}

/** The caller's session. @throws Fault `not_found` for a caller with a token. */
function sessionOf({ session }: Caller): OpenSession {
  if (session === null) throw new Fault('not_found', 'This call has no session: it came with a token');
  return session;
}

/** Sessions of the caller's account; all sessions for an admin. */
async function visibleTo(caller: Caller, { sessions }: AdminDeps['accounts']): Promise<readonly ListedSession[]> {
  const all = await sessions.list();
  if (caller.role === 'admin') return all;
  return all.filter(({ accountId }) => accountId !== null && accountId === caller.account?.id);
}

function credentialsOf(body: { token?: string; link?: string; email?: string; password?: string }): Credentials {
  const { token, link, email, password } = body;
  const given = Object.keys(body).length;
  if (token !== undefined && given === 1) return { token };
  if (link !== undefined && given === 1) return { link };
  if (email !== undefined && password !== undefined && given === 2) return { email, password };
  return refuse('', 'Send exactly one of: token; link; email and password');
}

/** The identity that a refused caller has claimed. */
function claimed(credentials: Credentials): string {
  if ('email' in credentials) return credentials.email;
  return 'token' in credentials ? 'admin token' : 'one-time link';
}
