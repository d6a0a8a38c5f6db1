import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenSession } from '../accounts/caller.ts';

export const SESSION_COOKIE = 'millrace_session';

/** Not for scripts, not for other sites, and only over TLS where the request came by it. */
function attributes(request: FastifyRequest): { httpOnly: true; sameSite: 'strict'; path: '/'; secure: boolean } {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure: request.protocol === 'https' };
}

/** What the session cookie of a request holds; null when it has none. */
export function sessionSecret(request: FastifyRequest): string | null {
  return request.cookies[SESSION_COOKIE] ?? null;
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, session: OpenSession): void {
  const maxAge = Math.floor((session.expiresAt - session.renewedAt) / 1000);
  reply.setCookie(SESSION_COOKIE, session.secret, { ...attributes(request), maxAge });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(SESSION_COOKIE, attributes(request));
}
