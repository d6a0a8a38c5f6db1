import { tokenView } from '../account-views.ts';
import { pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { instant, refuse } from '../input.ts';
import * as schemas from '../schemas/account.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { ref } from '../schemas/shape.ts';
import { type AdminApp, idParams, nothing, refusals } from './route.ts';

const tags = ['Tokens'];

/** API tokens: for programs, each with a role of its own. */
export function tokenRoutes(app: AdminApp, { accounts: { tokens }, clock }: AdminDeps): void {
  app.post(
    '/tokens',
    {
      config: { action: 'token.create' },
      schema: {
        operationId: 'createToken',
        summary: 'Create an API token',
        description: 'The token is shown this once.',
        tags,
        body: ref(schemas.NewApiToken),
        response: { 201: ref(schemas.CreatedApiToken), ...refusals(400, 503) },
      },
    },
    async ({ body }, reply) => {
      const expiresAt = instant(body.expiresAt, 'expiresAt');
      if (expiresAt !== null && expiresAt <= clock.now()) refuse('expiresAt', 'must be in the future');
      const { stored, token } = await tokens.create(body.name, body.role, {
        expiresAt,
        readOnly: body.readOnly ?? false,
      });
      return reply.code(201).send({ ...tokenView(stored), token });
    },
  );

  app.get(
    '/tokens',
    {
      schema: {
        operationId: 'listTokens',
        summary: 'List API tokens, oldest first',
        tags,
        querystring: pageQuery,
        response: { 200: pageOf(schemas.ApiToken), ...refusals(400) },
      },
    },
    async ({ query }) =>
      pageOfAll((await tokens.list()).map(tokenView), ({ createdAt, id }) => `${createdAt} ${id}`, query),
  );

  app.delete(
    '/tokens/:id',
    {
      config: { action: 'token.delete' },
      schema: {
        operationId: 'deleteToken',
        summary: 'Delete an API token',
        description: 'It is refused from now on.',
        tags,
        params: idParams,
        response: { 204: nothing, ...refusals(404, 503) },
      },
    },
    async ({ params }, reply) => {
      await tokens.delete(params.id);
      return reply.code(204).send(null);
    },
  );
}
