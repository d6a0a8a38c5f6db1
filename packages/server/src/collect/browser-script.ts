import serveFiles from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { Fault } from '../core/fault.ts';
import { sendRefused } from './answer.ts';
import type { FindSource } from './write-key.ts';

export interface BrowserScript {
  /** The folder of `analytics.min.js`, with `.br` and `.gz` beside it; it may appear and disappear while the service runs. */
  readonly folder: string;
  readonly findSource: FindSource;
}

/** How long a browser uses the script without asking again: a page's client may be older than the service by so much. */
const MAX_AGE = '5m';

/**
 * Serves the client for browsers at the path where Segment's library is (`packages/client/src/analytics`). The script is
 * the same for every source, and finds its write key in its own address. Any page may load it.
 */
export async function browserScript(app: FastifyInstance, { folder, findSource }: BrowserScript): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(serveFiles, {
      serve: false,
      root: folder,
      suppressWarning: true,
      preCompressed: true,
      setHeaders: (reply) => void reply.header('content-type', 'text/javascript; charset=utf-8'),
    });
    scope.setErrorHandler(sendRefused);
    scope.get('/analytics.js/v1/:writeKey/analytics.min.js', { config: { page: true } }, async (request, reply) => {
      const { writeKey } = request.params as { readonly writeKey: string };
      reply.header('access-control-allow-origin', '*');
      // 404 is what a browser shows for a script that is not there.
      if (!(await findSource(writeKey))) throw new Fault('not_found', 'No source has this write key.');
      return reply.sendFile('analytics.min.js', { maxAge: MAX_AGE });
    });
  });
}
