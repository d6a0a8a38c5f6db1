import { pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { suppressionView } from '../regulation-views.ts';
import { pageOf } from '../schemas/page.ts';
import { Suppression, suppressionsQuery, userId } from '../schemas/regulation.ts';
import { object } from '../schemas/shape.ts';
import { type AdminApp, found, nothing, refusals, routesOf } from './route.ts';

const userParams = object({ userId });

/** Users whose calls are refused. */
export function suppressionRoutes(app: AdminApp, { suppressions }: AdminDeps): void {
  const routes = routesOf(app, 'Regulations');
  routes.get('/suppressions', {
    operationId: 'listSuppressions',
    summary: 'List suppressed users, by user id',
    querystring: suppressionsQuery,
    response: { 200: pageOf(Suppression), ...refusals() },
    handler: async ({ query: { prefix = '', ...query } }) => {
      const fitting = suppressions.list().filter(({ userId }) => userId.startsWith(prefix));
      return pageOfAll(fitting, ({ userId }) => userId, query, suppressionView);
    },
  });

  routes.delete('/suppressions/:userId', {
    action: 'suppression.lift',
    operationId: 'liftSuppression',
    summary: "Take a user's calls again",
    params: userParams,
    response: { 204: nothing, ...refusals(404, 503) },
    handler: async ({ params }) => {
      found((await suppressions.lift(params.userId)) || null, 'suppression of this user');
    },
  });
}
