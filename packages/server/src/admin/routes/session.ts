import type { Credentials } from '../../accounts/sign-in.ts';
import { Fault } from '../../core/fault.ts';
import { sessionView } from '../account-views.ts';
import { writeAudit } from '../audit.ts';
import { callerOf } from '../caller.ts';
import type { AdminDeps } from '../deps.ts';
import { refuse } from '../input.ts';
import * as schemas from '../schemas/account.ts';
import { ref } from '../schemas/shape.ts';
import { clearSessionCookie, setSessionCookie } from '../session-cookie.ts';
import { type AdminApp, nothing, refusals } from './route.ts';

const tags = ['Sign-in'];

/** The session of the web interface: signing in and out. */
export function sessionRoutes(app: AdminApp, deps: AdminDeps): void {
  const { accounts } = deps;

  app.post(
    '/session',
    {
      config: { role: 'anyone', action: 'session.create' },
      schema: {
        operationId: 'signIn',
        summary: 'Sign in',
        description:
          'Sets the session cookie. Ten failures in fifteen minutes, per address and per e-mail address, and passwords are ' +
          'not looked at until those are over.',
        tags,
        security: [],
        body: ref(schemas.SignIn),
        response: { 201: ref(schemas.Session), ...refusals(400, 429, 503) },
      },
    },
    async (request, reply) => {
      const credentials = credentialsOf(request.body);
      try {
        const { caller, session } = await accounts.signIn.open(credentials, request.ip);
        request.caller = caller;
        setSessionCookie(request, reply, session);
        return reply.code(201).send(sessionView(caller, session));
      } catch (error) {
        if (error instanceof Fault && error.code === 'unauthorized') {
          const actor = claimed(credentials);
          await writeAudit(deps, request, { actor, action: 'session.refuse', target: null, fields: [] });
        }
        throw error;
      }
    },
  );

  app.get(
    '/session',
    {
      schema: {
        operationId: 'getSession',
        summary: 'Who is signed in',
        tags,
        response: { 200: ref(schemas.Session), ...refusals(404) },
      },
    },
    async (request) => {
      const { session, ...caller } = callerOf(request);
      if (session === null) throw new Fault('not_found', 'This call has no session: it came with a token');
      return sessionView(caller, session);
    },
  );

  app.delete(
    '/session',
    {
      config: { role: 'viewer', action: 'session.delete' },
      schema: {
        operationId: 'signOut',
        summary: 'Sign out',
        tags,
        response: { 204: nothing, ...refusals(404, 503) },
      },
    },
    async (request, reply) => {
      const { session } = callerOf(request);
      if (session === null) throw new Fault('not_found', 'This call has no session: it came with a token');
      await accounts.sessions.close(session);
      clearSessionCookie(request, reply);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/session/password',
    {
      config: { role: 'viewer', action: 'session.change_password' },
      schema: {
        operationId: 'changePassword',
        summary: "Change one's password",
        description: "Ends one's other sessions.",
        tags,
        body: ref(schemas.PasswordChange),
        response: { 204: nothing, ...refusals(400, 409, 429, 503) },
      },
    },
    async (request, reply) => {
      const { current, password } = request.body;
      const changed = await accounts.people.changePassword(callerOf(request), current, password);
      if (!changed) refuse('current', 'is not your password');
      return reply.code(204).send(null);
    },
  );
}

function credentialsOf(body: { token?: string; link?: string; email?: string; password?: string }): Credentials {
  const { token, link, email, password } = body;
  const given = Object.keys(body).length;
  if (token !== undefined && given === 1) return { token };
  if (link !== undefined && given === 1) return { link };
  if (email !== undefined && password !== undefined && given === 2) return { email, password };
  return refuse('', 'Send exactly one of: token; link; email and password');
}

/** Who somebody said they were who could not prove it. */
function claimed(credentials: Credentials): string {
  if ('email' in credentials) return credentials.email;
  return 'token' in credentials ? 'admin token' : 'one-time link';
}
