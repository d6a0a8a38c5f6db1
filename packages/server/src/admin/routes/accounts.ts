import { accountView, auditView, inviteView, sessionView, tokenView } from '../account-views.ts';
import { accountFields, asked, changesOf } from '../audited.ts';
import { callerOf } from '../caller.ts';
import { askedOf, oldestFirst, pageOfAll, sealPlace } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { instant, refuse } from '../input.ts';
import * as schemas from '../schemas/account.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { setSessionCookie } from '../session-cookie.ts';
import { picked } from '../views.ts';
import { type AdminApp, found, nothing, refusals, routesOf } from './route.ts';

/**
 * Who may use the admin API, and what each of them did. People create their accounts through a link that an admin passes on.
 * Programs use tokens with roles of their own.
 */
export function accountRoutes(app: AdminApp, { accounts: { people, tokens, audit }, clock }: AdminDeps): void {
  const routes = routesOf(app, 'People');
  routes.get('/accounts', {
    operationId: 'listAccounts',
    summary: 'List accounts, oldest first',
    querystring: pageQuery,
    response: { 200: pageOf(schemas.Account), ...refusals() },
    handler: async ({ query }) => pageOfAll(await people.list(), oldestFirst, query, accountView),
  });

  routes.get('/accounts/:id', {
    operationId: 'getAccount',
    summary: 'Get an account',
    response: { 200: schemas.Account, ...refusals(404) },
    handler: async ({ params }) => accountView(found(await people.find(params.id), `account ${params.id}`)),
  });

  routes.patch('/accounts/:id', {
    action: 'account.update',
    operationId: 'updateAccount',
    summary: 'Change an account',
    description: 'A new role holds at once, for open sessions too.',
    body: schemas.AccountChange,
    response: { 200: schemas.Account, ...refusals(404) },
    handler: async (request) => {
      const { before, after } = await people.change(request.params.id, request.body);
      request.auditChanges = changesOf(accountFields, before, after);
      return accountView(after);
    },
  });

  routes.delete('/accounts/:id', {
    action: 'account.delete',
    operationId: 'deleteAccount',
    summary: 'Delete an account',
    description: 'Its sessions end at once. A caller can not delete their own account.',
    response: { 204: nothing, ...refusals(404, 409) },
    handler: (request) => people.delete(request.params.id, callerOf(request)),
  });

  routes.post('/invites', {
    action: 'invite.create',
    operationId: 'createInvite',
    summary: 'Invite a person',
    description:
      'Nothing is sent: hand on the link, which is shown this once and works once, for 7 days. One that the address had ' +
      'before is void.',
    body: schemas.NewInvite,
    response: { 201: schemas.CreatedInvite, ...refusals(409) },
    handler: async (request) => {
      const { email, role } = request.body;
      const { invite, link } = await people.invite(email, role);
      request.auditChanges = asked({ email, role });
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
    response: { 204: nothing, ...refusals(404) },
    handler: ({ params }) => people.withdraw(params.id),
  });

  routes.post('/invites/lookup', {
    role: 'anyone',
    action: null,
    operationId: 'lookUpInvite',
    summary: 'What an invite is for',
    security: [],
    body: schemas.InviteSecret,
    response: { 200: schemas.Invite, ...refusals(404) },
    handler: async ({ body }) => inviteView(await people.lookUp(body.secret)),
  });

  routes.post('/invites/accept', {
    role: 'anyone',
    action: 'invite.accept',
    operationId: 'acceptInvite',
    summary: 'Accept an invite: make the account and sign in',
    security: [],
    body: schemas.AcceptedInvite,
    response: { 201: schemas.Session, ...refusals(404, 409) },
    handler: async (request, reply) => {
      const { secret, name, password } = request.body;
      const { caller, session } = await people.accept(secret, name, password);
      request.caller = caller;
      setSessionCookie(request, reply, session);
      return sessionView(caller, session);
    },
  });

  const tokenRoutes = routesOf(app, 'Tokens');
  tokenRoutes.post('/tokens', {
    action: 'token.create',
    operationId: 'createToken',
    summary: 'Create an API token',
    description: 'The token is shown this once.',
    body: schemas.NewApiToken,
    response: { 201: schemas.CreatedApiToken, ...refusals() },
    handler: async (request) => {
      const { body } = request;
      const expiresAt = instant(body.expiresAt, 'expiresAt');
      if (expiresAt !== null && expiresAt <= clock.now()) refuse('expiresAt', 'must be in the future');
      const { stored, token } = await tokens.create(body.name, body.role, {
        expiresAt,
        readOnly: body.readOnly ?? false,
      });
      const shown = tokenView(stored);
      request.auditChanges = asked(picked(shown, 'name', 'role', 'readOnly', 'expiresAt'));
      return { ...shown, token };
    },
  });

  tokenRoutes.get('/tokens', {
    operationId: 'listTokens',
    summary: 'List API tokens, oldest first',
    querystring: pageQuery,
    response: { 200: pageOf(schemas.ApiToken), ...refusals() },
    handler: async ({ query }) => pageOfAll(await tokens.list(), oldestFirst, query, tokenView),
  });

  tokenRoutes.delete('/tokens/:id', {
    action: 'token.delete',
    operationId: 'deleteToken',
    summary: 'Delete an API token',
    description: 'It is refused from now on.',
    response: { 204: nothing, ...refusals(404) },
    handler: ({ params }) => tokens.delete(params.id),
  });

  routesOf(app, 'Audit').get('/audit', {
    operationId: 'listAuditEntries',
    summary: 'Who changed what and who signed in, newest first',
    description:
      'Kept for 400 days. `action` is what an action begins with: `source.` or `session.refuse`. A page may hold fewer ' +
      'items than its limit and still have a next one: a rare action is searched piece by piece.',
    querystring: schemas.auditQuery,
    response: { 200: pageOf(schemas.AuditEntry), ...refusals() },
    handler: async ({ query }) => {
      const page = await audit.auditEntries({
        actor: query.actor ?? null,
        action: query.action ?? null,
        targetId: null,
        from: instant(query.from, 'from'),
        to: instant(query.to, 'to'),
        ...askedOf('audit', query),
      });
      return { items: page.items.map(auditView), next: sealPlace('audit', page.next) };
    },
  });
}
