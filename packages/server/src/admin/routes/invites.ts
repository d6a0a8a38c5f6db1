import { inviteView, sessionView } from '../account-views.ts';
import { oldestFirst, pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import * as schemas from '../schemas/account.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { ref } from '../schemas/shape.ts';
import { setSessionCookie } from '../session-cookie.ts';
import { type AdminApp, nothing, refusals, routesOf } from './route.ts';

/** Invites: a link that an admin hands on, with which a person makes their account. */
export function inviteRoutes(app: AdminApp, { accounts: { people } }: AdminDeps): void {
  const routes = routesOf(app, 'People');
  routes.post('/invites', {
    action: 'invite.create',
    operationId: 'createInvite',
    summary: 'Invite a person',
    description:
      'Nothing is sent: hand on the link, which is shown this once and works once, for 7 days. One that the address had ' +
      'before is void.',
    body: ref(schemas.NewInvite),
    response: { 201: ref(schemas.CreatedInvite), ...refusals(409, 503) },
    handler: async ({ body }) => {
      const { invite, link } = await people.invite(body.email, body.role);
      return { ...inviteView(invite), link };
    },
  });

  routes.get('/invites', {
    operationId: 'listInvites',
    summary: 'List invites that can be accepted, oldest first',
    querystring: pageQuery,
    response: { 200: pageOf(schemas.Invite), ...refusals() },
    handler: async ({ query }) => pageOfAll(await people.invites(), oldestFirst, query, inviteView),
  });

  routes.delete('/invites/:id', {
    action: 'invite.delete',
    operationId: 'deleteInvite',
    summary: 'Withdraw an invite',
    response: { 204: nothing, ...refusals(404, 503) },
    handler: ({ params }) => people.withdraw(params.id),
  });

  routes.post('/invites/lookup', {
    role: 'anyone',
    action: null,
    operationId: 'lookUpInvite',
    summary: 'What an invite is for',
    security: [],
    body: ref(schemas.InviteSecret),
    response: { 200: ref(schemas.Invite), ...refusals(404) },
    handler: async ({ body }) => inviteView(await people.lookUp(body.secret)),
  });

  routes.post('/invites/accept', {
    role: 'anyone',
    action: 'invite.accept',
    operationId: 'acceptInvite',
    summary: 'Accept an invite: make the account and sign in',
    security: [],
    body: ref(schemas.AcceptedInvite),
    response: { 201: ref(schemas.Session), ...refusals(404, 409, 503) },
    handler: async (request, reply) => {
      const { secret, name, password } = request.body;
      const { caller, session } = await people.accept(secret, name, password);
      request.caller = caller;
      setSessionCookie(request, reply, session);
      return sessionView(caller, session);
    },
  });
}
