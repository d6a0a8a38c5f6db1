import { tokenView } from '../account-views.ts';
import { oldestFirst, pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { instant, refuse } from '../input.ts';
import * as schemas from '../schemas/account.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { ref } from '../schemas/shape.ts';
import { type AdminApp, nothing, refusals, routesOf } from './route.ts';

/** API tokens: for programs, each with a role of its own. */
export function tokenRoutes(app: AdminApp, { accounts: { tokens }, clock }: AdminDeps): void {
  const routes = routesOf(app, 'Tokens');
  routes.post('/tokens', {
    action: 'token.create',
    operationId: 'createToken',
    summary: 'Create an API token',
    description: 'The token is shown this once.',
    body: ref(schemas.NewApiToken),
    response: { 201: ref(schemas.CreatedApiToken), ...refusals(503) },
    handler: async ({ body }) => {
      const expiresAt = instant(body.expiresAt, 'expiresAt');
      if (expiresAt !== null && expiresAt <= clock.now()) refuse('expiresAt', 'must be in the future');
      const { stored, token } = await tokens.create(body.name, body.role, {
        expiresAt,
        readOnly: body.readOnly ?? false,
      });
      return { ...tokenView(stored), token };
    },
  });

  routes.get('/tokens', {
    operationId: 'listTokens',
    summary: 'List API tokens, oldest first',
    querystring: pageQuery,
    response: { 200: pageOf(schemas.ApiToken), ...refusals() },
    handler: async ({ query }) => pageOfAll(await tokens.list(), oldestFirst, query, tokenView),
  });

  routes.delete('/tokens/:id', {
    action: 'token.delete',
    operationId: 'deleteToken',
    summary: 'Delete an API token',
    description: 'It is refused from now on.',
    response: { 204: nothing, ...refusals(404, 503) },
    handler: ({ params }) => tokens.delete(params.id),
  });
}
