import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** How long a browser may remember a preflight's answer, in seconds (a day; browsers cap it lower). */
const MAX_AGE = 86_400;

/**
 * Opens a scope to scripts of any origin, error answers included (contract 8.1). The origin is named rather than `*`,
 * and credentials are allowed, because some browser libraries and every beacon send in credentials mode; nothing here
 * reads a cookie.
 */
export function allowAnyOrigin(scope: FastifyInstance): void {
  scope.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.raw.headers;
    // Without this a script can't see for how long it is asked to wait.
    reply.header('access-control-expose-headers', 'retry-after');
    if (origin === undefined) {
      reply.header('access-control-allow-origin', '*');
    } else {
      reply.header('access-control-allow-origin', origin);
      reply.header('access-control-allow-credentials', 'true');
      reply.header('vary', 'Origin');
    }
    done();
  });
}

/** Answers a preflight: all headers it asks for may be sent. */
export function answerPreflight(request: FastifyRequest, reply: FastifyReply): void {
  const asked = request.raw.headers['access-control-request-headers'];
  reply
    .code(204)
    .header('access-control-allow-methods', 'GET, POST, OPTIONS')
    .header('access-control-allow-headers', asked ?? 'authorization, content-type, content-encoding')
    .header('access-control-max-age', String(MAX_AGE))
    .header('vary', 'Origin, Access-Control-Request-Headers')
    .send();
}
