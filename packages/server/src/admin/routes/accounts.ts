import { accountView } from '../account-views.ts';
import { accountFields, changesOf } from '../audited.ts';
import { callerOf } from '../caller.ts';
import { oldestFirst, pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import * as schemas from '../schemas/account.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { ref } from '../schemas/shape.ts';
import { type AdminApp, found, nothing, refusals, routesOf } from './route.ts';

/** People with accounts. They come by invites (invites.ts). */
export function accountRoutes(app: AdminApp, { accounts: { people } }: AdminDeps): void {
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
    response: { 200: ref(schemas.Account), ...refusals(404) },
    handler: async ({ params }) => accountView(found(await people.find(params.id), `account ${params.id}`)),
  });

  routes.patch('/accounts/:id', {
    action: 'account.update',
    operationId: 'updateAccount',
    summary: 'Change an account',
    description: 'A new role holds at once, for open sessions too.',
    body: ref(schemas.AccountChange),
    response: { 200: ref(schemas.Account), ...refusals(404, 503) },
    handler: async (request) => {
      const { params, body } = request;
      const before = await people.find(params.id);
      const after = await people.change(params.id, body);
      request.auditChanges = changesOf(accountFields, before, after);
      return accountView(after);
    },
  });

  routes.delete('/accounts/:id', {
    action: 'account.delete',
    operationId: 'deleteAccount',
    summary: 'Delete an account',
    description: 'Its sessions end at once. A caller can not delete their own account.',
    response: { 204: nothing, ...refusals(404, 409, 503) },
    handler: (request) => people.delete(request.params.id, callerOf(request)),
  });
}
