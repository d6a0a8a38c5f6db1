import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const pack = promisify(gzip);

/** Shorter texts fit into one packet either way. */
const LEAST_CHARACTERS = 1_400;

const TAKES_GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i;

/**
 * An `onSend` hook: texts are sent packed (gzip, off the event loop) to clients that take it. Bytes and streams are sent as they are.
 *
 * The length of a packed answer must not tell of a secret that stands beside an attacker's text (BREACH). Session answers hold the
 * CSRF token beside the person's own name and e-mail, and are too short to be packed. Source answers hold write keys beside what
 * admins wrote. Shared secrets are never answered. The cookie is `SameSite=Strict`: no other site makes a browser ask.
 */
export async function packAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || payload.length < LEAST_CHARACTERS) return payload;
  reply.header('vary', 'accept-encoding');
  if (!TAKES_GZIP.test(request.headers['accept-encoding'] ?? '')) return payload;
  const packed = await pack(payload);
  const tag = reply.getHeader('etag');
  // A strong tag stands for the same bytes (RFC 9110, 8.8.1).
  if (typeof tag === 'string') reply.header('etag', `W/${tag}`);
  reply.header('content-encoding', 'gzip').removeHeader('content-length');
  return packed;
}
