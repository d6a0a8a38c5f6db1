import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { methodsByPath } from '../../http/not-found.ts';
import { callerOf, WATCHING, watcherOf } from '../caller.ts';
import type { AdminDeps } from '../deps.ts';
import { refuse } from '../input.ts';
import { LiveFeed } from '../live-feed.ts';
import { streamsOf } from '../open-streams.ts';
import { liveQuery, watchQuery } from '../schemas/live.ts';
import { type Answered, watchAnswers } from '../watch.ts';
import { type AdminApp, eventStream, refusals, routesOf } from './route.ts';

/** Streams of server-sent events: the changing answers of GETs, and the live debugger. */
export function streamRoutes(app: AdminApp, { accounts, log, deliveries, rejections, clock }: AdminDeps): void {
  const routes = routesOf(app, 'Statistics');
  // Running requests of a watch count as running handlers when the server closes (`http/close.ts`).
  const streams = streamsOf(app, { all: 100, ofOne: 10 });
  const answered = answeredPaths(app);

  routes.get('/watch', {
    role: 'observer',
    watches: true,
    operationId: 'watchAnswers',
    summary: 'Watch what several GETs answer',
    description:
      'Server-sent events: `answer` messages carry `{"path", "status", "body"}`, at first of each path and then where an answer is ' +
      'another; they are asked every two seconds, and an `asked` message follows each time. A path is one of a GET under /api that answers JSON, with its query. At most 100 streams at ' +
      'once, 10 of them of one caller. A stream ends after 15 minutes, or when who opened it is signed out; open it again.',
    querystring: watchQuery,
    response: { 200: eventStream, ...refusals() },
    handler: async (request, reply) => {
      const paths = [request.query.path].flat();
      paths.forEach((path, i) => {
        if (!answered(path))
          refuse(`path[${i}]`, `must be the path of a GET under /api that answers JSON, not ${path}`);
      });
      const report = (error: unknown): void =>
        request.log.error({ err: error }, 'a watch has ended: what it watches could not be asked for');
      const stream = streams.open(watcherOf(callerOf(request)), () =>
        watchAnswers({ clock, paths, ask: (path) => askAs(request, path), report }),
      );
      return sendStream(reply, stream);
    },
  });

  const feed = new LiveFeed({
    ...{ log, deliveries, rejections, clock },
    report: (error) => app.log.error({ err: error }, 'live streams have ended: what they need could not be read'),
  });
  // A stream is a running request, which a close would wait for.
  app.addHook('preClose', async () => feed.close());

  routes.get('/events/live', {
    watches: true,
    operationId: 'watchEvents',
    summary: 'Watch events as they are accepted',
    description:
      'Server-sent events: `event` messages carry a LiveEvent, `rejected` ones a LiveRejection (of another node’s the newest few), `sampled` ' +
      'messages (once a second) a LiveRate. It begins with the last 100 events that pass the filter, oldest first; the id ' +
      'of a message stays the same when the stream is opened again. What comes goes out up to 50 a second, spread evenly; the rest is counted only. ' +
      'At most 20 viewers at once, 5 of them of one account or token. A stream ends after 15 minutes, ' +
      'or when the session or token it was opened with ends; open it again.',
    querystring: liveQuery,
    response: { 200: eventStream, ...refusals() },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const stream = await feed.watch(request.query, () => accounts.isStillIn(caller), watcherOf(caller));
      // If the viewer left while the log was read, nothing else ends the stream.
      if (request.raw.destroyed) stream.destroy();
      return sendStream(reply, stream);
    },
  });

  /** Makes a GET with the credentials of the request that opened the stream. */
  async function askAs({ headers, ip }: FastifyRequest, url: string): Promise<Answered> {
    const { cookie, authorization, host } = headers;
    const { statusCode, payload } = await app.inject({
      method: 'GET',
      url,
      remoteAddress: ip,
      headers: {
        ...{ ...(cookie && { cookie }), ...(authorization && { authorization }), ...(host && { host }) },
        [WATCHING]: '1',
      },
    });
    return { status: statusCode, body: payload };
  }
}

function sendStream(reply: FastifyReply, stream: Readable): FastifyReply {
  return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(stream);
}

/** Makes a function that tells whether a path is that of a GET that answers JSON. Knows the routes that are registered after this call. */
function answeredPaths(app: AdminApp): (path: string) => boolean {
  const methods = methodsByPath(app, ({ method, schema }) => {
    const answer = Object((schema?.response as Record<number, unknown> | undefined)?.[200]);
    return method === 'GET' && !('content' in answer);
  });
  return (path) => {
    const [name = ''] = path.split('?');
    // The GET is made with a parsed URL, in which `\\` and `..` lead to another path: refuse such paths.
    return name === URL.parse(path, 'http://localhost')?.pathname && methods(name).length > 0;
  };
}
