import { accountView } from '../account-views.ts';
import { accountFields, changesOf } from '../audited.ts';
import { callerOf } from '../caller.ts';
import { pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import * as schemas from '../schemas/account.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { ref } from '../schemas/shape.ts';
import { type AdminApp, found, idParams, nothing, refusals } from './route.ts';

const tags = ['People'];

/** People with accounts. They come by invites (invites.ts). */
export function accountRoutes(app: AdminApp, { accounts: { people } }: AdminDeps): void {
  app.get(
    '/accounts',
    {
      schema: {
        operationId: 'listAccounts',
        summary: 'List accounts, oldest first',
        tags,
        querystring: pageQuery,
        response: { 200: pageOf(schemas.Account), ...refusals(400) },
      },
    },
    async ({ query }) =>
      pageOfAll((await people.list()).map(accountView), ({ createdAt, id }) => `${createdAt} ${id}`, query),
  );

  app.get(
    '/accounts/:id',
    {
      schema: {
        operationId: 'getAccount',
        summary: 'Get an account',
        tags,
        params: idParams,
        response: { 200: ref(schemas.Account), ...refusals(404) },
      },
    },
    async ({ params }) => accountView(found(await people.find(params.id), `account ${params.id}`)),
  );

  app.patch(
    '/accounts/:id',
    {
      config: { action: 'account.update' },
      schema: {
        operationId: 'updateAccount',
        summary: 'Change an account',
        description: 'A new role holds at once, for open sessions too.',
        tags,
        params: idParams,
        body: ref(schemas.AccountChange),
        response: { 200: ref(schemas.Account), ...refusals(400, 404, 503) },
      },
    },
    async (request) => {
      const { params, body } = request;
      const before = await people.find(params.id);
      const after = await people.change(params.id, body);
      request.auditChanges = changesOf(accountFields, before, after);
      return accountView(after);
    },
  );

  app.delete(
    '/accounts/:id',
    {
      config: { action: 'account.delete' },
      schema: {
        operationId: 'deleteAccount',
        summary: 'Delete an account',
        description: 'Its sessions end at once. Nobody can delete their own.',
        tags,
        params: idParams,
        response: { 204: nothing, ...refusals(404, 409, 503) },
      },
    },
    async (request, reply) => {
      await people.delete(request.params.id, callerOf(request));
      return reply.code(204).send(null);
    },
  );
}
