import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const pack = promisify(gzip);

/** Shorter texts fit into one packet without compression. */
const LEAST_CHARACTERS = 1_400;

const TAKES_GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i;

/**
 * An `onSend` hook: compresses texts (gzip, outside of the event loop) for clients that accept gzip. Bytes and streams are sent
 * unchanged.
 *
 * The length of a compressed answer must not reveal a secret that is in the same answer as an attacker's text (BREACH). Session
 * answers contain the CSRF token beside the person's own name and e-mail, which only that person and admins choose. Source
 * answers contain write keys with text of admins. Shared secrets are never answered. The cookie is `SameSite=Strict`: no other site can
 * make a browser send the request.
 */
export async function packAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || payload.length < LEAST_CHARACTERS) return payload;
  reply.header('vary', 'accept-encoding');
  if (!TAKES_GZIP.test(request.headers['accept-encoding'] ?? '')) return payload;
  const packed = await pack(payload);
  const tag = reply.getHeader('etag');
  // A strong tag promises identical bytes (RFC 9110, 8.8.1).
  if (typeof tag === 'string') reply.header('etag', `W/${tag}`);
  reply.header('content-encoding', 'gzip').removeHeader('content-length');
  return packed;
}
