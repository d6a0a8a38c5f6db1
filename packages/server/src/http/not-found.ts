import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { Fault } from '../core/fault.ts';
import { problemOf, sendProblem } from './problem.ts';

/** The methods that exist for the path of a URL; empty if no route has the path. */
export type MethodsByPath = (path: string) => readonly string[];

/** Collects the routes that are added to the server from now on and are meant, by default all but pages for browsers. */
export function methodsByPath(
  app: FastifyInstance,
  isMeant: (route: RouteOptions) => boolean = ({ config }) => !config?.page,
): MethodsByPath {
  const routes: { readonly segments: readonly string[]; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', (route) => {
    if (isMeant(route)) routes.push({ segments: route.url.split('/'), methods: [route.method].flat() });
  });
  return (path) => {
    const segments = path.split('/');
    const found = routes.filter((route) => matches(route.segments, segments)).flatMap((route) => route.methods);
    return [...new Set(found)].sort();
  };
}

/** Answers 405 with `Allow` if the path has other methods, else 404. */
export function answerUnknownPath(methods: MethodsByPath): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = methods(path);
    const fault =
      allowed.length === 0
        ? new Fault('not_found', 'There is nothing at this path.')
        : new Fault('method_not_allowed', `This path takes ${allowed.join(', ')}.`);
    if (allowed.length > 0) reply.header('allow', allowed.join(', '));
    sendForPath(fault, request, reply);
  };
}

/** Answers a request that no route takes: problem details under /api, plain JSON elsewhere. */
export function sendForPath(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  if (isApi(request.url.split('?', 1)[0])) {
    sendProblem(error, request, reply);
    return;
  }
  const { status, code, detail } = problemOf(error);
  // Sent as text: after `callNotFound`, the serialiser of the route that was found does not fit this answer.
  reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ success: false, code, message: detail }));
}

/** Whether a fixed part of the route's path is written in another form in the URL: `/%6detrics`. */
export function isDisguised(request: FastifyRequest): boolean {
  const { url } = request;
  if (!url.includes('%')) return false;
  const { routeOptions } = request;
  // Pages of the interface are the same file under every path.
  if (routeOptions.config?.page) return false;
  const asked = (url.split('?', 1)[0] ?? '').split('/');
  const named = (routeOptions.url ?? '').split('/');
  return named.some((part, i) => !part.startsWith(':') && part !== '*' && part !== asked[i]);
}

/** Whether a path is one of the admin API. */
export function isApi(path = ''): boolean {
  return path === '/api' || path.startsWith('/api/');
}

function matches(route: readonly string[], path: readonly string[]): boolean {
  if (route.length !== path.length) return false;
  return route.every((segment, i) => segment === path[i] || (segment.startsWith(':') && path[i] !== ''));
}
