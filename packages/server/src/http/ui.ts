import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import serveFiles from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The built interface, with the client for browsers. The path fits this file and its bundle: both are equally deep (build.ts). */
export const UI_FOLDER: string = join(import.meta.dirname, '../../dist/ui');

/** First segments of paths of the APIs and of assets: a browser that opens one gets no page. */
const OTHERS = ['api', 'v1', 'sourceConfig', 'analytics.js', 'health', 'metrics', 'assets'];

const ANY_OTHER = `/:first(^(?!(?:${OTHERS.join('|').replaceAll('.', '\\.')})$)[^/]+$)`;

/**
 * Serves the built interface: its files, and its page at every path where a browser asks for HTML and no other route exists.
 * Other requests there are answered as if the interface did not exist. Every answer has a content security policy that allows
 * only the service's own files.
 *
 * @param options.folder the build; it may appear and disappear while the service runs.
 */
export async function uiRoutes(app: FastifyInstance, { folder }: { readonly folder: string }): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(helmet, {
      enableCSPNonces: true,
      contentSecurityPolicy: { useDefaults: false, directives: CONTENT_SECURITY },
      xFrameOptions: { action: 'deny' },
      // Only the proxy in front knows whether this host is reachable by https alone.
      strictTransportSecurity: false,
    });
    await scope.register(serveFiles, { serve: false, root: folder, suppressWarning: true, preCompressed: true });
    const route = { config: { page: true } } as const;

    scope.get('/assets/*', route, (request, reply) => {
      const { '*': name } = request.params as { readonly '*': string };
      // The name contains a hash of the content, so a browser never needs to ask again.
      return reply.sendFile(`assets/${name}`, { maxAge: '365d', immutable: true });
    });
    for (const file of ['favicon.svg', 'early.js']) {
      scope.get(`/${file}`, route, (_request, reply) => reply.sendFile(file, { maxAge: 0 }));
    }
    scope.get('/', route, (request, reply) =>
      wantsPage(request) ? sendPage(reply, join(folder, 'index.html')) : sendWhere(request, reply),
    );
    for (const path of [ANY_OTHER, `${ANY_OTHER}/*`]) {
      scope.get(path, route, (request, reply) => {
        if (!wantsPage(request)) return reply.callNotFound();
        return sendPage(reply, join(folder, 'index.html'));
      });
    }
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route exists for browsers only: for other clients the path has no methods. */
    page?: true;
  }
}

/** Nonces are added to `script-src` and `style-src`. */
const CONTENT_SECURITY: Readonly<Record<string, string[]>> = {
  'default-src': ["'self'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'object-src': ["'none'"],
  'script-src-attr': ["'none'"],
};

/** Only a browser that opens an address asks for HTML by name. A script that accepts anything (`*\/*`) does not. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') ?? false;
}

/** The answer to a client that is no browser, for example curl. */
function sendWhere({ protocol, host }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const at = `${protocol}://${host}`;
  return reply
    .type('text/plain; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(`Millrace takes analytics calls and delivers each to webhooks.

  ${at}/                  in a browser: the interface
  ${at}/v1/track          calls, with the write key of a source: POST
  ${at}/api/openapi.json  the admin API, with the admin token
`);
}

async function sendPage(reply: FastifyReply, path: string): Promise<FastifyReply> {
  reply.header('content-type', 'text/html; charset=utf-8').header('cache-control', 'no-cache');
  const page = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return null;
  });
  if (page === null) return reply.code(503).send(NOT_BUILT);
  return reply.send(page.replaceAll('%STYLE-NONCE%', reply.cspNonce.style));
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<title>Millrace</title>
<h1>The interface is not built</h1>
<p>Run <code>npm run build -w packages/ui</code> in the folder of Millrace, and load this page again.
Everything else works meanwhile: the collection API, the admin API and the command line.</p>
</html>
`;
