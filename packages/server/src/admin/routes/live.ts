import { callerOf, watcherOf } from '../caller.ts';
import type { AdminDeps } from '../deps.ts';
import { LiveFeed } from '../live-feed.ts';
import { liveQuery } from '../schemas/live.ts';
import { type AdminApp, eventStream, refusals, routesOf } from './route.ts';

/** The live debugger's stream. */
export function liveRoutes(app: AdminApp, { accounts, log, deliveries, rejections, clock }: AdminDeps): void {
  const routes = routesOf(app, 'Statistics');
  const feed = new LiveFeed({
    log,
    deliveries,
    rejections,
    clock,
    report: (error) => app.log.error({ err: error }, 'live streams have ended: what they need could not be read'),
  });
  // A stream is a request under way, which a close would wait for.
  app.addHook('preClose', async () => feed.close());

  routes.get('/events/live', {
    operationId: 'watchEvents',
    summary: 'Watch events as they are accepted',
    description:
      'Server-sent events: `event` messages carry a LiveEvent, `rejected` ones a LiveRejection (of another node’s the newest few), `sampled` ' +
      'messages (once a second) a LiveRate. It begins with the last 100 events that pass the filter, oldest first; the id ' +
      'of a message stays the same when the stream is opened again. What comes goes out up to 50 a second, spread evenly; the rest is counted only. ' +
      'At most 20 viewers at once, 5 of them of one account or token. A stream ends after 15 minutes, ' +
      'or when the session or token it was opened with ends; open it again.',
    querystring: liveQuery,
    response: {
      200: eventStream,
      ...refusals(503),
    },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const stream = await feed.watch(request.query, () => accounts.isStillIn(caller), watcherOf(caller));
      // The viewer may have left while the log was asked; then nothing else tells the stream.
      if (request.raw.destroyed) stream.destroy();
      return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(stream);
    },
  });
}
