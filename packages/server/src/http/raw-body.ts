import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault, type FaultCode } from '../core/fault.ts';

/** A request's body as it came; null when it was larger than the limit. */
export type RawBody = Uint8Array | null;

export interface RawBodyOptions {
  /** Bytes of one body. */
  readonly limit: number;
  /** Bytes of all bodies that are held at once. */
  readonly most: number;
  /** A body was refused before any route has seen it. */
  readonly refused: (code: FaultCode) => void;
}

export interface RawBodies {
  /**
   * Takes over the room of a request's body until the answer is called. A body that no route takes over is let go of with the
   * response.
   */
  take(request: FastifyRequest): () => void;
}

/** What is still read of a body that is too large, so that its sender gets to read the answer. */
const DRAIN_BYTES = 8 * 1024 * 1024;

/**
 * Makes the routes of a scope take every body as bytes, under any Content-Type, even an invalid one. A body over
 * `limit` bytes arrives as null: the rest of it is read and dropped first, because a client that is cut off while it
 * sends never sees why. So is one for which there is no room, which is refused as `overloaded`: bodies come before it is known who sends
 * them, so no more than `most` bytes of them are kept together.
 */
export function takeRawBodies(scope: FastifyInstance, { limit, most, refused }: RawBodyOptions): RawBodies {
  const room = { left: most };
  /** Bytes of bodies that no route has taken over. */
  const held = new WeakMap<FastifyRequest, number>();
  const free = (bytes: number): void => {
    room.left += bytes;
  };
  const takeOver = (request: FastifyRequest): number => {
    const bytes = held.get(request) ?? 0;
    held.delete(request);
    return bytes;
  };
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (request, payload, done) => {
    readRaw(payload, limit, room, (error, body) => {
      if (error instanceof Fault) refused(error.code);
      held.set(request, body?.length ?? 0);
      done(error, body);
    });
  });
  scope.addHook('onRequest', (request, reply, done) => {
    // The framework refuses a Content-Type it can't parse, before any parser is asked. (Deleting it would turn the
    // headers into a slow object.)
    request.raw.headers['content-type'] = undefined;
    reply.raw.once('close', () => free(takeOver(request)));
    done();
  });
  return {
    take(request) {
      const bytes = takeOver(request);
      return () => free(bytes);
    },
  };
}

function readRaw(
  payload: IncomingMessage,
  limit: number,
  room: { left: number },
  done: (error: Error | null, body: RawBody) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  let kept = 0;
  let refusal: Error | null = null;
  const drop = (): void => {
    chunks.length = 0;
    room.left += kept;
    kept = 0;
  };
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length <= limit && refusal === null) {
      chunks.push(chunk);
      kept += chunk.length;
      room.left -= chunk.length;
      if (room.left < 0) refusal = new Fault('overloaded', NO_ROOM, { retryAfter: 1 });
    }
    if (length > limit || refusal !== null) drop();
    if (length > DRAIN_BYTES) finish(refusal);
  };
  const onEnd = (): void => finish(refusal, length > limit ? null : oneBuffer(chunks, length));
  // A client that goes away in the middle of its body is no fault of ours.
  const onError = (cause: Error): void => {
    drop();
    finish(new Fault('invalid_json', 'The body did not arrive as a whole.', { cause }));
  };
  const finish = (error: Error | null, body: RawBody = null): void => {
    payload.off('data', onData).off('end', onEnd).off('error', onError);
    // An error that comes after this can no longer be told.
    payload.on('error', () => undefined);
    done(error, body);
  };
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}

const NO_ROOM = 'More calls come in at once than there is memory for. Try again shortly.';

function oneBuffer(chunks: readonly Buffer[], length: number): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first ? first : Buffer.concat(chunks, length);
}
