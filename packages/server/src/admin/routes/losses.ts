import type { Loss } from '../../log/contract.ts';
import type * as contract from '../contract.ts';
import type { AdminDeps } from '../deps.ts';
import * as schemas from '../schemas/health.ts';
import { pageOf } from '../schemas/page.ts';
import { iso, isoOrNull } from '../views.ts';
import { type AdminApp, found, nothing, refusals, routesOf } from './route.ts';

/** Events that were confirmed and are gone, until an admin has taken note of it. */
export function lossRoutes(app: AdminApp, { losses, clock }: AdminDeps): void {
  const routes = routesOf(app, 'Operation');
  routes.get('/losses', {
    role: 'observer',
    operationId: 'listLosses',
    summary: 'Events that were confirmed and are gone',
    description:
      'Found at a start, where files or streams end before what others know of them (docs/operations.md). ' +
      '`/health/ready` says `degraded` until each is taken note of.',
    response: { 200: pageOf(schemas.Loss), ...refusals(503) },
    handler: async () => ({ items: (await losses.list()).map(lossView), next: null }),
  });

  routes.post('/losses/:id/note', {
    action: 'loss.note',
    operationId: 'noteLoss',
    summary: 'Take note of a loss',
    description: 'It stays in the list; health and the overview say nothing more of it.',
    response: { 204: nothing, ...refusals(404, 503) },
    handler: async ({ params }) => {
      found((await losses.note(params.id, clock.now())) || null, `loss ${params.id}`);
    },
  });
}

function lossView({ id, foundAt, events, what, notedAt }: Loss): contract.Loss {
  return { id, foundAt: iso(foundAt), events, what, notedAt: isoOrNull(notedAt) };
}
