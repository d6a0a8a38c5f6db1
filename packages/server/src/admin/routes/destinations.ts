import type { FastifyRequest } from 'fastify';
import type { LimitFunction } from 'p-limit';
import { agedAt } from '../../core/clock.ts';
import type { Destination, Hold, Webhook } from '../../core/destination.ts';
import { isPaused, resumed } from '../../core/hold.ts';
import { iso } from '../../core/instant.ts';
import type { Changed } from '../../core/revision.ts';
import { changesOf, destinationFields } from '../audited.ts';
import { callerOf } from '../caller.ts';
import type * as contract from '../contract.ts';
import { oldestFirst, pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { changedDestination, checkDestination, checkSources, newDestination } from '../destination-input.ts';
import { newId } from '../ids.ts';
import { refuse } from '../input.ts';
import { previewRouting } from '../routing-preview.ts';
import * as schemas from '../schemas/destination.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { RoutingPreview, RoutingToPreview } from '../schemas/routing-preview.ts';
import { expectedBy } from '../versions.ts';
import { destinationView, pausedView } from '../views.ts';
import { parsedUrl } from '../webhook-input.ts';
import { type AdminApp, found, ifMatch, leftBy, nothing, refusals, routesOf } from './route.ts';

/** Destinations: where messages go (contract 9). */
export function destinationRoutes(app: AdminApp, deps: AdminDeps, change: LimitFunction): void {
  const routes = routesOf(app, 'Destinations');
  const { settings, clock } = deps;
  const one = (id: string): Destination => found(settings.destination(id), `destination ${id}`);
  const shown = async (destination: Destination, role: contract.Role): Promise<contract.Destination> =>
    destinationView(destination, role, clock.now(), (await pausedOf(deps, [destination])).get(destination.id));
  const changed = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    next: (now: Destination) => Destination,
  ): Promise<Changed<Destination>> => {
    const made = await settings.changeDestination(request.params.id, next, expectedBy(request));
    request.auditChanges = changesOf(destinationFields, made.before, made.after);
    return made;
  };

  routes.post('/destinations', {
    action: 'destination.create',
    operationId: 'createDestination',
    summary: 'Create a destination',
    description: 'It gets every call accepted after the answer, none from before.',
    body: schemas.NewDestination,
    response: { 201: schemas.Destination, ...refusals() },
    handler: async (request, reply) => {
      await checkDestination(request.body, deps);
      return change(async () => {
        checkSources(request.body, deps);
        const destination = newDestination(request.body, newId('dst'), iso(clock.now()));
        await settings.putDestination(destination);
        request.auditChanges = changesOf(destinationFields, null, destination);
        const location = `/api/destinations/${destination.id}`;
        return reply.header('location', location).send({
          ...destinationView(destination, 'admin', clock.now()),
          ...secretMade(null, destination, request.body),
        });
      });
    },
  });

  routes.post('/destinations/preview', {
    role: 'admin',
    action: null,
    operationId: 'previewRouting',
    summary: 'What filter, consent and redaction would have made of the last day; nothing is saved or sent',
    body: RoutingToPreview,
    response: { 200: RoutingPreview, ...refusals() },
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
      return pageOfAll(all, oldestFirst, request.query, (one) =>
        destinationView(one, role, clock.now(), paused.get(one.id)),
      );
    },
  });

  routes.get('/destinations/:id', {
    role: 'observer',
    operationId: 'getDestination',
    summary: 'Get a destination',
    response: { 200: schemas.Destination, ...refusals(404) },
    handler: async (request) => shown(one(request.params.id), callerOf(request).role),
  });

  routes.patch('/destinations/:id', {
    action: 'destination.update',
    operationId: 'updateDestination',
    summary: 'Change a destination',
    headers: ifMatch,
    body: schemas.DestinationChange,
    response: { 200: schemas.Destination, ...refusals(404, 412) },
    handler: async (request) => {
      one(request.params.id);
      await checkDestination(request.body, deps);
      return change(async () => {
        checkSources(request.body, deps);
        const next = (now: Destination): Destination => changedDestination(now, request.body, iso(clock.now()));
        const { before, after } = await changed(request, next);
        return { ...(await shown(after, 'admin')), ...secretMade(before, after, request.body) };
      });
    },
  });

  routes.delete('/destinations/:id', {
    action: 'destination.delete',
    operationId: 'deleteDestination',
    summary: 'Delete a destination',
    description: 'Nothing more is sent to it; what still waits for it is dropped.',
    headers: ifMatch,
    response: { 204: nothing, ...refusals(404, 412) },
    handler: (request) =>
      change(async () => {
        const destination = one(request.params.id);
        await settings.deleteDestination(destination.id, expectedBy(request));
        request.auditChanges = changesOf(destinationFields, destination, null);
      }),
  });

  routes.post('/destinations/:id/pause', {
    action: 'destination.pause',
    operationId: 'pauseDestination',
    summary: 'Pause a destination, or one of its URLs',
    description:
      'Messages wait, and none fails but those that are held for longer than events are kept. Of one URL alone: the others ' +
      'go on; a message that asks for all URLs waits for it.',
    headers: ifMatch,
    body: schemas.Pause,
    response: { 200: schemas.Destination, ...refusals(404, 412) },
    handler: (request) => {
      const since = iso(clock.now());
      return hold(request, (before) => (before?.since ? before : { past: [], ...before, since }));
    },
  });

  routes.post('/destinations/:id/resume', {
    action: 'destination.resume',
    operationId: 'resumeDestination',
    summary: 'Resume a destination, or one of its URLs',
    description: 'Messages go out one at a time first, and more at once as they are taken.',
    headers: ifMatch,
    body: schemas.Resume,
    response: { 200: schemas.Destination, ...refusals(404, 412) },
    handler: async (request) => {
      const until = iso(clock.now());
      const discarded = request.body.discard ? await deps.end() : undefined;
      return hold(request, (before) => resumed(before, until, discarded));
    },
  });

  /** Pauses a destination or one of its URLs: its messages wait, and none fails (contract 12). */
  function hold(
    request: FastifyRequest<{ Params: { id: string }; Body: schemas.Resume }>,
    next: NextHold,
  ): Promise<contract.Destination> {
    return change(async () =>
      shown((await changed(request, (now) => holding(now, request.body, next))).after, 'admin'),
    );
  }
}

type NextHold = (before: Hold | undefined) => Hold | undefined;

/** A Standard Webhooks secret that the service has made. Only the answer to this request contains it. */
function secretMade(
  before: Destination | null,
  { standardSecret }: Destination,
  { settings }: Pick<contract.DestinationChange, 'settings'>,
): { readonly standardSecret?: string } {
  const isNew = standardSecret && standardSecret !== before?.standardSecret && !settings?.standardSecret;
  return isNew ? { standardSecret } : {};
}

/** What waits for the paused ones of these destinations, by id. */
async function pausedOf(
  { deliveries, retention, clock }: Pick<AdminDeps, 'deliveries' | 'retention' | 'clock'>,
  destinations: readonly Destination[],
): Promise<ReadonlyMap<string, contract.Paused>> {
  const paused = destinations.filter(isPaused);
  if (paused.length === 0) return new Map();
  const ids = paused.map(({ id }) => id);
  const [lanes, oldest] = await Promise.all([deliveries.counts(ids), deliveries.oldestWaiting(ids)]);
  return new Map(
    paused.map(({ id, hold }) => {
      const held = lanes.reduce((sum, lane) => sum + (lane.destinationId === id ? lane.counts.waiting : 0), 0);
      const oldestAt = oldest.get(id) ?? null;
      const expires = oldestAt === null ? null : agedAt(clock, oldestAt, retention);
      return [id, pausedView(hold?.since ?? '', held, oldestAt, expires)];
    }),
  );
}

/** @throws InvalidInput for a URL that the destination does not have. */
function holding(now: Destination, asked: schemas.Pause, next: NextHold): Destination {
  if (asked.id === undefined && asked.url === undefined) return withHold(now, next(now.hold));
  const called = asked.url === undefined ? null : parsedUrl(asked.url);
  const isAsked = ({ id, url }: Webhook): boolean => (asked.id ?? id) === id && (called ?? url) === url;
  if (!now.webhooks.some(isAsked)) {
    refuse(asked.id === undefined ? 'url' : 'id', 'is no URL of this destination');
  }
  const webhooks = now.webhooks.map((webhook) => (isAsked(webhook) ? withHold(webhook, next(webhook.hold)) : webhook));
  return webhooks.every((webhook, i) => webhook === now.webhooks[i]) ? now : { ...now, webhooks };
}

function withHold<T extends { readonly hold?: Hold }>(thing: T, hold: Hold | undefined): T {
  return hold === thing.hold || hold === undefined ? thing : { ...thing, hold };
}
