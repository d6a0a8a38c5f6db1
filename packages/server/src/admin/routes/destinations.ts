import type { LimitFunction } from 'p-limit';
import type { Destination } from '../../core/destination.ts';
import { changesOf, destinationFields } from '../audited.ts';
import { callerOf } from '../caller.ts';
import type { DestinationChange } from '../contract.ts';
import { oldestFirst, pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { changedDestination, checkDestination, checkSources, newDestination } from '../destination-input.ts';
import { newId } from '../ids.ts';
import { previewRouting } from '../routing-preview.ts';
import * as schemas from '../schemas/destination.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { RoutingPreview, RoutingToPreview } from '../schemas/routing-preview.ts';
import { ref } from '../schemas/shape.ts';
import { expectedBy } from '../versions.ts';
import { destinationView, iso } from '../views.ts';
import { pausedOf, pauseRoutes } from './pauses.ts';
import { type AdminApp, found, ifMatch, leftBy, nothing, refusals, routesOf } from './route.ts';

/** Destinations: where messages go (contract 9). */
export function destinationRoutes(app: AdminApp, deps: AdminDeps, change: LimitFunction): void {
  const routes = routesOf(app, 'Destinations');
  const { settings, clock } = deps;
  const one = (id: string): Destination => found(settings.destination(id), `destination ${id}`);

  routes.post('/destinations', {
    action: 'destination.create',
    operationId: 'createDestination',
    summary: 'Create a destination',
    description: 'It gets every call accepted after the answer, none from before.',
    body: ref(schemas.NewDestination),
    response: { 201: ref(schemas.Destination), ...refusals(503) },
    handler: async (request, reply) => {
      await checkDestination(request.body, deps);
      return change(async () => {
        checkSources(request.body, deps);
        const destination = newDestination(request.body, newId('dst'), iso(clock.now()));
        await settings.putDestination(destination);
        request.auditChanges = changesOf(destinationFields, null, destination);
        const location = `/api/destinations/${destination.id}`;
        return reply
          .header('location', location)
          .send({ ...destinationView(destination, 'admin'), ...secretMade(null, destination, request.body) });
      });
    },
  });

  routes.post('/destinations/preview', {
    role: 'admin',
    action: null,
    operationId: 'previewRouting',
    summary: 'What filter, consent and redaction would have made of the last day; nothing is saved or sent',
    body: ref(RoutingToPreview),
    response: { 200: ref(RoutingPreview), ...refusals(503) },
    handler: async ({ body }, reply) => {
      await checkDestination(body, deps);
      return previewRouting(body, deps, leftBy(reply));
    },
  });

  routes.get('/destinations', {
    role: 'observer',
    operationId: 'listDestinations',
    summary: 'List destinations, oldest first',
    querystring: pageQuery,
    response: { 200: pageOf(schemas.Destination), ...refusals() },
    handler: async (request) => {
      const { role } = callerOf(request);
      const all = settings.destinations();
      const paused = await pausedOf(deps, all);
      return pageOfAll(all, oldestFirst, request.query, (one) => destinationView(one, role, paused.get(one.id)));
    },
  });

  routes.get('/destinations/:id', {
    role: 'observer',
    operationId: 'getDestination',
    summary: 'Get a destination',
    response: { 200: ref(schemas.Destination), ...refusals(404) },
    handler: async (request) => {
      const destination = one(request.params.id);
      const paused = await pausedOf(deps, [destination]);
      return destinationView(destination, callerOf(request).role, paused.get(destination.id));
    },
  });

  routes.patch('/destinations/:id', {
    action: 'destination.update',
    operationId: 'updateDestination',
    summary: 'Change a destination',
    headers: ifMatch,
    body: ref(schemas.DestinationChange),
    response: { 200: ref(schemas.Destination), ...refusals(404, 412, 503) },
    handler: async (request) => {
      one(request.params.id);
      await checkDestination(request.body, deps);
      return change(async () => {
        checkSources(request.body, deps);
        const next = (now: Destination): Destination => changedDestination(now, request.body, iso(clock.now()));
        const { before, after } = await settings.changeDestination(request.params.id, next, expectedBy(request));
        request.auditChanges = changesOf(destinationFields, before, after);
        const paused = await pausedOf(deps, [after]);
        const view = destinationView(after, 'admin', paused.get(after.id));
        return { ...view, ...secretMade(before, after, request.body) };
      });
    },
  });

  routes.delete('/destinations/:id', {
    action: 'destination.delete',
    operationId: 'deleteDestination',
    summary: 'Delete a destination',
    description: 'Nothing more is sent to it; what still waits for it is dropped.',
    headers: ifMatch,
    response: { 204: nothing, ...refusals(404, 412, 503) },
    handler: (request) =>
      change(async () => {
        const destination = one(request.params.id);
        await settings.deleteDestination(destination.id, expectedBy(request));
        request.auditChanges = changesOf(destinationFields, destination, null);
      }),
  });

  pauseRoutes(app, deps, change);
}

/** A secret of Standard Webhooks that the service has made: the answer to the request has it, once. */
function secretMade(
  before: Destination | null,
  { standardSecret }: Destination,
  { settings }: Pick<DestinationChange, 'settings'>,
): { readonly standardSecret?: string } {
  const isNew = standardSecret && standardSecret !== before?.standardSecret && !settings?.standardSecret;
  return isNew ? { standardSecret } : {};
}
