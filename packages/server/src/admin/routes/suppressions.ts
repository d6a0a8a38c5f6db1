import Type from 'typebox';
import { pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { suppressionView } from '../regulation-views.ts';
import { pageOf } from '../schemas/page.ts';
import { Suppression, suppressionsQuery, userId } from '../schemas/regulation.ts';
import type { SchemaOf } from '../schemas/shape.ts';
import { type AdminApp, found, nothing, refusals } from './route.ts';

const tags = ['Regulations'];

const userParams: SchemaOf<{ userId: string }> = Type.Unsafe<{ userId: string }>(Type.Object({ userId }));

/** Users whose calls are refused. */
export function suppressionRoutes(app: AdminApp, { regulations, suppressions }: AdminDeps): void {
  app.get(
    '/suppressions',
    {
      schema: {
        operationId: 'listSuppressions',
        summary: 'List suppressed users, by user id',
        tags,
        querystring: suppressionsQuery,
        response: { 200: pageOf(Suppression), ...refusals(400) },
      },
    },
    async ({ query: { prefix = '', ...query } }) => {
      const fitting = suppressions.list().filter(({ userId }) => userId.startsWith(prefix));
      const page = pageOfAll(fitting, ({ userId }) => userId, query);
      return { items: page.items.map(suppressionView), next: page.next };
    },
  );

  app.delete(
    '/suppressions/:userId',
    {
      config: { action: 'suppression.lift' },
      schema: {
        operationId: 'liftSuppression',
        summary: "Take a user's calls again",
        tags,
        params: userParams,
        response: { 204: nothing, ...refusals(404, 503) },
      },
    },
    async ({ params }, reply) => {
      found((await regulations.lift(params.userId)) || null, 'suppression of this user');
      return reply.code(204).send(null);
    },
  );
}
