import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenSession } from '../accounts/caller.ts';

/** The cookie's name at an address without a port. Earlier versions used it at every address. */
export const SESSION_COOKIE = 'millrace_session';

/** The most session cookies of a request that are looked up. */
const MOST_LOOKED_UP = 4;

/** The port is in the name because browsers share cookies among all ports of a host: another service there would replace this one's. */
function nameFor({ port }: FastifyRequest): string {
  return port === null ? SESSION_COOKIE : `${SESSION_COOKIE}_${port}`;
}

/** Hidden from scripts and from other sites; over TLS only if the request came over TLS. */
function attributes(request: FastifyRequest): { httpOnly: true; sameSite: 'strict'; path: '/'; secure: boolean } {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure: request.protocol === 'https' };
}

/**
 * The secrets in a request's session cookies, that of its port first. Another may be of this service too: of another node on
 * the host, of an earlier port or of an earlier version. Or of another service on the host.
 */
export function sessionSecrets(request: FastifyRequest): readonly string[] {
  return [request.cookies[nameFor(request)] ?? [], otherSecrets(request)].flat().slice(0, MOST_LOOKED_UP);
}

/** The secrets in session cookies that a sign-in does not replace. */
export function otherSecrets(request: FastifyRequest): readonly string[] {
  const own = nameFor(request);
  const others = Object.keys(request.cookies).filter((name) => name !== own && name.startsWith(SESSION_COOKIE));
  return others.flatMap((name) => request.cookies[name] ?? []).slice(0, MOST_LOOKED_UP);
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, session: OpenSession): void {
  const maxAge = Math.floor((session.expiresAt - session.renewedAt) / 1000);
  reply.setCookie(nameFor(request), session.secret, { ...attributes(request), maxAge });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(nameFor(request), attributes(request));
}
