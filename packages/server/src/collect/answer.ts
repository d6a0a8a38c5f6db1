import type { FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../core/fault.ts';
import { problemOf } from '../http/problem.ts';
import type { CollectAnswer } from './collector.ts';

/** 200 `{"success":true}`, with the calls that were refused (contract 8.3, 8.4). */
export function sendAccepted(reply: FastifyReply, { rejected }: CollectAnswer): FastifyReply {
  reply.header('content-type', JSON_TYPE);
  return reply.send(rejected.length === 0 ? SUCCESS : JSON.stringify({ success: true, rejected }));
}

/** The error handler of the collection API: `{"success":false,"code":…,"message":…}` with the fault's status. */
export function sendRefused(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, code, detail } = problemOf(error);
  // The route, not the address: that may name a person or contain a write key.
  const { url } = request.routeOptions;
  if (code === 'internal') request.log.error({ err: error, url }, 'request failed');
  else request.log.debug({ url, status, code }, 'refused');
  if (RETRY_LATER.has(status)) {
    const seconds = error instanceof Fault ? error.retryAfter : null;
    reply.header('retry-after', String(seconds ?? DEFAULT_RETRY_SECONDS));
  }
  // RFC 9110: a 415 because of the coding names the codings that are taken.
  if (code === 'unsupported_encoding') reply.header('accept-encoding', 'gzip');
  // The rest of a body that was too large is not read.
  if (request.body === null) reply.header('connection', 'close');
  reply
    .code(status)
    .header('content-type', JSON_TYPE)
    .send(JSON.stringify({ success: false, code, message: detail }));
}

const JSON_TYPE = 'application/json; charset=utf-8';
const SUCCESS = '{"success":true}';
const RETRY_LATER: ReadonlySet<number> = new Set([429, 503]);
const DEFAULT_RETRY_SECONDS = 1;
