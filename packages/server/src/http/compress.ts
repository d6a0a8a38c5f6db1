import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const pack = promisify(gzip);

/** Shorter texts fit into one packet either way. */
const LEAST_CHARACTERS = 1_400;

const TAKES_GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i;

/** An `onSend` hook: texts are sent packed (gzip, off the event loop) to clients that take it. Streams are sent as they are. */
export async function packAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || payload.length < LEAST_CHARACTERS) return payload;
  reply.header('vary', 'accept-encoding');
  if (!TAKES_GZIP.test(request.headers['accept-encoding'] ?? '')) return payload;
  const packed = await pack(payload);
  reply.header('content-encoding', 'gzip').removeHeader('content-length');
  return packed;
}
