import { inviteView, sessionView } from '../account-views.ts';
import { pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import * as schemas from '../schemas/account.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { ref } from '../schemas/shape.ts';
import { setSessionCookie } from '../session-cookie.ts';
import { type AdminApp, idParams, nothing, refusals } from './route.ts';

const tags = ['People'];

/** Invites: a link that an admin hands on, with which a person makes their account. */
export function inviteRoutes(app: AdminApp, { accounts: { people } }: AdminDeps): void {
  app.post(
    '/invites',
    {
      config: { action: 'invite.create' },
      schema: {
        operationId: 'createInvite',
        summary: 'Invite a person',
        description:
          'Nothing is sent: hand on the link, which is shown this once and works once, for 7 days. One that the address had ' +
          'before is void.',
        tags,
        body: ref(schemas.NewInvite),
        response: { 201: ref(schemas.CreatedInvite), ...refusals(400, 409, 503) },
      },
    },
    async ({ body }, reply) => {
      const { invite, link } = await people.invite(body.email, body.role);
      return reply.code(201).send({ ...inviteView(invite), link });
    },
  );

  app.get(
    '/invites',
    {
      schema: {
        operationId: 'listInvites',
        summary: 'List invites that can be accepted, oldest first',
        tags,
        querystring: pageQuery,
        response: { 200: pageOf(schemas.Invite), ...refusals(400) },
      },
    },
    async ({ query }) =>
      pageOfAll((await people.invites()).map(inviteView), ({ createdAt, id }) => `${createdAt} ${id}`, query),
  );

  app.delete(
    '/invites/:id',
    {
      config: { action: 'invite.delete' },
      schema: {
        operationId: 'deleteInvite',
        summary: 'Withdraw an invite',
        tags,
        params: idParams,
        response: { 204: nothing, ...refusals(404, 503) },
      },
    },
    async ({ params }, reply) => {
      await people.withdraw(params.id);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/invites/lookup',
    {
      config: { role: 'anyone', action: null },
      schema: {
        operationId: 'lookUpInvite',
        summary: 'What an invite is for',
        tags,
        security: [],
        body: ref(schemas.InviteSecret),
        response: { 200: ref(schemas.Invite), ...refusals(400, 404) },
      },
    },
    async ({ body }) => inviteView(await people.lookUp(body.secret)),
  );

  app.post(
    '/invites/accept',
    {
      config: { role: 'anyone', action: 'invite.accept' },
      schema: {
        operationId: 'acceptInvite',
        summary: 'Accept an invite: make the account and sign in',
        tags,
        security: [],
        body: ref(schemas.AcceptedInvite),
        response: { 201: ref(schemas.Session), ...refusals(400, 404, 409, 429, 503) },
      },
    },
    async (request, reply) => {
      const { secret, name, password } = request.body;
      const { caller, session } = await people.accept(secret, name, password);
      request.caller = caller;
      setSessionCookie(request, reply, session);
      return reply.code(201).send(sessionView(caller, session));
    },
  );
}
