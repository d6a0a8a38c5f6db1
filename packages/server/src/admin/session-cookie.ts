import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenSession } from '../accounts/caller.ts';

export const SESSION_COOKIE = 'millrace_session';

/** Hidden from scripts and from other sites; over TLS only if the request came over TLS. */
function attributes(request: FastifyRequest): { httpOnly: true; sameSite: 'strict'; path: '/'; secure: boolean } {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure: request.protocol === 'https' };
}

/** The secret in a request's session cookie; null if it has none. */
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
