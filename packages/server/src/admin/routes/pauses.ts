import type { LimitFunction } from 'p-limit';
import type { Destination, Hold, Webhook } from '../../core/destination.ts';
import { isPaused, resumed } from '../../core/hold.ts';
import { changesOf, destinationFields } from '../audited.ts';
import { callerOf } from '../caller.ts';
import type * as contract from '../contract.ts';
import type { AdminDeps } from '../deps.ts';
import { refuse } from '../input.ts';
import * as schemas from '../schemas/destination.ts';
import { ref } from '../schemas/shape.ts';
import { expectedBy } from '../versions.ts';
import { destinationView, iso, pausedView } from '../views.ts';
import { parsedUrl } from '../webhook-input.ts';
import { type AdminApp, ifMatch, refusals, routesOf } from './route.ts';

/** A destination, or a URL of it, stands still on demand: its messages wait, and none fails (contract 12). */
export function pauseRoutes(app: AdminApp, deps: AdminDeps, change: LimitFunction): void {
  const routes = routesOf(app, 'Destinations');
  const { settings, clock } = deps;

  routes.post('/destinations/:id/pause', {
    action: 'destination.pause',
    operationId: 'pauseDestination',
    summary: 'Pause a destination, or one of its URLs',
    description:
      'Messages wait, and none fails but those that are held for longer than events are kept. Of one URL alone: the others ' +
      'go on; a message that asks for all URLs waits for it.',
    headers: ifMatch,
    body: ref(schemas.Pause),
    response: { 200: ref(schemas.Destination), ...refusals(404, 412, 503) },
    handler: (request) => {
      const since = iso(clock.now());
      return changeHold(request, (hold) => (hold?.since ? hold : { past: [], ...hold, since }));
    },
  });

  routes.post('/destinations/:id/resume', {
    action: 'destination.resume',
    operationId: 'resumeDestination',
    summary: 'Resume a destination, or one of its URLs',
    description: 'Messages go out one at a time first, and more at once as they are taken.',
    headers: ifMatch,
    body: ref(schemas.Resume),
    response: { 200: ref(schemas.Destination), ...refusals(404, 412, 503) },
    handler: async (request) => {
      const until = iso(clock.now());
      const discarded = request.body.discard ? await deps.end() : undefined;
      return changeHold(request, (hold) => resumed(hold, until, discarded));
    },
  });

  type Asked = Parameters<typeof callerOf>[0] & {
    readonly params: { readonly id: string };
    readonly body: schemas.Resume;
  };

  async function changeHold(
    request: Asked,
    next: (hold: Hold | undefined) => Hold | undefined,
  ): Promise<contract.Destination> {
    return change(async () => {
      const changed = (now: Destination): Destination => holding(now, request.body, next);
      const { before, after } = await settings.changeDestination(request.params.id, changed, expectedBy(request));
      request.auditChanges = changesOf(destinationFields, before, after);
      return destinationView(after, callerOf(request).role, (await pausedOf(deps, [after])).get(after.id));
    });
  }
}

/** What waits for those of the destinations that stand still, by their ids. */
export async function pausedOf(
  { deliveries, retention }: Pick<AdminDeps, 'deliveries' | 'retention'>,
  destinations: readonly Destination[],
): Promise<ReadonlyMap<string, contract.Paused>> {
  const paused = destinations.filter(isPaused);
  if (paused.length === 0) return new Map();
  const ids = paused.map(({ id }) => id);
  const [lanes, oldest] = await Promise.all([deliveries.counts(ids), deliveries.oldestWaiting(ids)]);
  return new Map(
    paused.map(({ id, hold }) => {
      const held = lanes.reduce((sum, lane) => sum + (lane.destinationId === id ? lane.counts.waiting : 0), 0);
      return [id, pausedView(hold?.since ?? '', held, oldest.get(id) ?? null, retention)];
    }),
  );
}

/** @throws InvalidInput for a URL that the destination does not have. */
function holding(
  now: Destination,
  asked: schemas.Pause,
  next: (hold: Hold | undefined) => Hold | undefined,
): Destination {
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
