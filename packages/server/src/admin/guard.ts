import type { FastifyReply, FastifyRequest } from 'fastify';
import { Attempts, addressKey } from '../accounts/attempts.ts';
import type { Caller } from '../accounts/caller.ts';
import { sameSecret } from '../accounts/secrets.ts';
import { includes, type Role } from '../core/account.ts';
import { Fault } from '../core/fault.ts';
import { callerAddress } from '../http/caller-address.ts';
import { writeAudit } from './audit.ts';
import { WATCHING } from './caller.ts';
import type { AdminDeps } from './deps.ts';
import type { AdminApp } from './routes/route.ts';
import { clearSessionCookie, sessionSecret, setSessionCookie } from './session-cookie.ts';

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Finds out who calls each route of the scope and holds them against the role that the route declares (routes/route.ts).
 * A token in the Authorization header goes before a session cookie. With the cookie, which a browser sends unasked,
 * all but a GET needs the session's CSRF token too, and must not come from a page of another origin.
 */
export function guard(api: AdminApp, deps: Pick<AdminDeps, 'accounts' | 'clock'>): void {
  const { tokens, sessions } = deps.accounts;
  const wrongTokens = new Attempts(deps.clock, WRONG_TOKENS);
  api.decorateRequest('caller', null);
  api.decorateRequest('address', '');

  api.addHook('onRequest', async (request, reply) => {
    request.address = callerAddress(request);
    // Answers hold secrets: no cache may keep them.
    reply.header('cache-control', 'no-store');
    const needed = roleFor(request);
    if (needed === 'anyone') {
      if (!SAFE.has(request.method)) refuseForeignOrigin(request);
      return;
    }
    const caller = await callerFor(request, reply);
    request.caller = caller;
    // A route that tells by the body what only reads is decided below.
    demand(caller, request.routeOptions.config.reads ? 'viewer' : needed, isReading(request));
  });

  api.addHook('preHandler', async (request) => {
    const { reads } = request.routeOptions.config;
    const needed = roleFor(request);
    if (!reads || needed === 'anyone' || request.caller === null) return;
    if (!reads(request.body)) demand(request.caller, needed, false);
  });

  async function callerFor(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const { authorization } = request.headers;
    const secret = sessionSecret(request);
    // A browser that signed in at a proxy before us sends Basic with everything: that is the proxy's.
    const isOurs = secret === null || /^Bearer\b/i.test(authorization ?? '');
    if (authorization !== undefined && isOurs) return bearer(authorization, request, reply);
    if (secret === null) return unauthorized(reply, 'Sign in, or send a token: Authorization: Bearer …');
    const found = await sessions.find(secret, request.headers[WATCHING] === undefined);
    if (found === null) {
      clearSessionCookie(request, reply);
      return unauthorized(reply, 'The session has ended: sign in again');
    }
    if (!SAFE.has(request.method)) refuseForgery(request, found.session.csrfToken);
    if (found.renewed) setSessionCookie(request, reply, found.session);
    return found.caller;
  }

  async function bearer(authorization: string, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (token === undefined) return unauthorized(reply, 'The Authorization header is not of the form Bearer TOKEN');
    // The right one is never held back.
    const caller = await tokens.find(token);
    if (caller !== null) return caller;
    await noteWrongToken(request);
    return unauthorized(reply, 'The token is wrong');
  }

  /** The first of an address is written down, and the one from which on it is slowed down: guesses come by the thousand. */
  async function noteWrongToken(request: FastifyRequest): Promise<void> {
    const key = addressKey(request.address);
    const wait = wrongTokens.take([key]);
    if (wait !== null) {
      throw new Fault('rate_limited', 'Too many wrong tokens came from this address', { retryAfter: wait });
    }
    const failed = wrongTokens.failed(key);
    if (failed !== 1 && failed !== WRONG_TOKENS.free) return;
    request.log.warn({ address: request.address, failed }, 'a wrong token was sent to the admin API');
    await writeAudit(deps, request, { action: 'token.refuse', target: null, fields: [] });
  }
}

/** A program with an old token calls on and on; a person who guesses needs more than this. */
const WRONG_TOKENS = { free: 100, every: 1_000 };

function roleFor({ is404, method, routeOptions }: FastifyRequest): Role | 'anyone' {
  return is404 ? 'observer' : (routeOptions.config.role ?? (SAFE.has(method) ? 'viewer' : 'admin'));
}

/** @throws Fault `forbidden` */
function demand({ actor, role, readOnly }: Caller, needed: Role, isReading: boolean): void {
  if (!includes(role, needed)) {
    const a = role === 'observer' ? 'an observer' : 'a viewer';
    const who = needed === 'admin' ? 'only an admin may do this' : 'who sees no personal data';
    throw new Fault('forbidden', `${actor} is ${a}: ${who}`);
  }
  if (readOnly && !isReading) throw new Fault('forbidden', `${actor} may only read`);
}

/** A route that changes nothing has no action for the audit log; one that tells by the body is decided with it. */
function isReading({ method, is404, routeOptions: { config } }: FastifyRequest): boolean {
  return SAFE.has(method) || is404 || config.action === null || config.reads !== undefined;
}

function unauthorized(reply: FastifyReply, message: string): never {
  reply.header('www-authenticate', 'Bearer realm="millrace"');
  throw new Fault('unauthorized', message);
}

function refuseForgery(request: FastifyRequest, csrfToken: string): void {
  refuseForeignOrigin(request);
  const given = request.headers['x-csrf-token'];
  if (typeof given !== 'string' || !sameSecret(given, csrfToken)) {
    throw new Fault('forbidden', "Send the session's csrfToken as X-CSRF-Token (GET /api/session has it)");
  }
}

/**
 * Browsers say where a request comes from, and no page can make them say something else. Behind a proxy that changes the
 * Host header only Sec-Fetch-Site is right; over plain HTTP there is only Origin.
 */
function refuseForeignOrigin({ headers, host }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const isOwn =
    typeof site === 'string'
      ? site === 'same-origin' || site === 'none'
      : origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
  if (!isOwn) throw new Fault('forbidden', 'The request comes from a page of another origin');
}
