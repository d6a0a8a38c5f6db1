import type { FastifyReply, FastifyRequest } from 'fastify';
import { Attempts, addressKey } from '../accounts/attempts.ts';
import type { Caller } from '../accounts/caller.ts';
import { sameSecret } from '../accounts/secrets.ts';
import type { FoundSession } from '../accounts/sessions.ts';
import { includes, type Role } from '../core/account.ts';
import { Fault } from '../core/fault.ts';
import { callerAddress } from '../http/caller-address.ts';
import { isDisguised } from '../http/not-found.ts';
import { refusalAudit } from './audit.ts';
import { WATCHING } from './caller.ts';
import type { AdminDeps } from './deps.ts';
import type { AdminApp } from './routes/route.ts';
import { sessionSecrets, setSessionCookie } from './session-cookie.ts';

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Identifies the caller of each route of the scope, and compares the caller's role with the one the route needs
 * (routes/route.ts). A token in the Authorization header has priority over a session cookie. Browsers send the cookie on their
 * own, so with it every request except a GET needs the session's CSRF token, and must not come from a page of another origin.
 */
export function guard(api: AdminApp, deps: Pick<AdminDeps, 'accounts' | 'clock'>): void {
  const { tokens, sessions } = deps.accounts;
  const wrongTokens = new Attempts(deps.clock, WRONG_TOKENS);
  const noteRefusal = refusalAudit(deps, 'token.refuse');
  api.decorateRequest('caller', null);
  api.decorateRequest('address', '');

  api.addHook('onRequest', async (request, reply) => {
    request.address = callerAddress(request);
    // Answers contain secrets: caches must not store them.
    reply.header('cache-control', 'no-store');
    const isUnknown = isDisguised(request);
    const needed = isUnknown ? 'observer' : roleFor(request);
    if (needed === 'anyone') {
      if (!SAFE.has(request.method)) refuseForeignOrigin(request);
      return;
    }
    const caller = await callerFor(request, reply);
    request.caller = caller;
    if (isUnknown) return reply.callNotFound();
    // If `reads` decides by the body, the role is checked after the body was read, below.
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
    const secrets = sessionSecrets(request);
    // A browser that has signed in at a proxy sends Basic credentials with every request: they are for the proxy.
    const isOurs = secrets.length === 0 || /^Bearer\b/i.test(authorization ?? '');
    if (authorization !== undefined && isOurs) return bearer(authorization, request, reply);
    if (secrets.length === 0) return unauthorized(reply, 'Sign in, or send a token: Authorization: Bearer …');
    const isUse = request.headers[WATCHING] === undefined && request.routeOptions.config.watches !== true;
    const found = await firstSession(secrets, isUse);
    if (found === null) return unauthorized(reply, 'The session has ended: sign in again');
    if (!SAFE.has(request.method)) refuseForgery(request, found.session.csrfToken);
    if (found.renewed) setSessionCookie(request, reply, found.session);
    return found.caller;
  }

  async function firstSession(secrets: readonly string[], isUse: boolean): Promise<FoundSession | null> {
    for (const secret of secrets) {
      const found = await sessions.find(secret, isUse);
      if (found !== null) return found;
    }
    return null;
  }

  async function bearer(authorization: string, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (token === undefined) return unauthorized(reply, 'The Authorization header is not of the form Bearer TOKEN');
    // A right token never has to wait.
    const caller = await tokens.find(token);
    if (caller !== null) return caller;
    await noteWrongToken(request);
    return unauthorized(reply, 'The token is wrong');
  }

  /** Only two wrong tokens per address are logged: the first, and the one after which the address must wait. Guessers send thousands. */
  async function noteWrongToken(request: FastifyRequest): Promise<void> {
    const key = addressKey(request.address);
    const wait = wrongTokens.take(key);
    if (wait !== null) {
      throw new Fault('rate_limited', 'Too many wrong tokens came from this address', { retryAfter: wait });
    }
    const failed = wrongTokens.failed(key);
    if (failed !== 1 && failed !== WRONG_TOKENS.free) return;
    if (!(await noteRefusal(request))) return;
    request.log.warn({ address: request.address, failed }, 'a wrong token was sent to the admin API');
  }
}

/** More failures than for passwords: a program with an old token repeats its calls, and a guesser needs far more attempts. */
const WRONG_TOKENS = { free: 100, every: 1_000 };

function roleFor({ is404, method, routeOptions }: FastifyRequest): Role | 'anyone' {
  return is404 ? 'observer' : (routeOptions.config.role ?? (SAFE.has(method) ? 'viewer' : 'admin'));
}

/** @throws Fault `forbidden` if the caller may not do this. */
function demand({ actor, role, readOnly }: Caller, needed: Role, isReading: boolean): void {
  if (!includes(role, needed)) {
    const a = role === 'observer' ? 'an observer' : 'a viewer';
    const who = needed === 'admin' ? 'only an admin may do this' : 'observers see no personal data';
    throw new Fault('forbidden', `${actor} is ${a}: ${who}`);
  }
  if (readOnly && !isReading) throw new Fault('forbidden', `${actor} may only read`);
}

/** Whether the route only reads: it has no audit action. Routes with `reads` are decided later, with the body. */
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
 * Browsers report the origin of a request, and a page can't change that. Behind a proxy that changes the Host header only Sec-
 * Fetch-Site is reliable. Over plain HTTP browsers send only Origin.
 */
function refuseForeignOrigin({ headers, host }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const isOwn =
    typeof site === 'string'
      ? site === 'same-origin' || site === 'none'
      : origin === undefined || isOriginOf(host, origin);
  if (!isOwn) throw new Fault('forbidden', 'The request comes from a page of another origin');
}

/** An origin never has the default port of its scheme; a host may have it. */
function isOriginOf(host: string, origin: string): boolean {
  const page = URL.parse(origin);
  return page !== null && page.host === URL.parse(`${page.protocol}//${host}`)?.host;
}
