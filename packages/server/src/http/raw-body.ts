import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault, type FaultCode } from '../core/fault.ts';

/** The bytes of a request's body; null if it was larger than the route's `bodyLimit`. */
export type RawBody = Buffer | null;

type Done = (error: Fault | null, body: RawBody) => void;

/** Up to this size, the rest of a too large body is read, so that the sender receives the answer. */
const DRAIN_BYTES = 8 * 1024 * 1024;

/** The most pieces of a body: chunks, or the bytes of one read of the connection. A full batch in pieces of 8 bytes has fewer. */
const MOST_PIECES = 65_536;

/**
 * Limits the memory of all request bodies together: bodies being read, and bodies of unanswered requests. All scopes share it,
 * because most bodies arrive before the sender is known.
 */
export class Bodies {
  #left: number;
  /** Bytes of each body that no route has taken over. */
  readonly #held = new WeakMap<IncomingMessage, number>();

  /** @param most the most bytes of all bodies at the same time. */
  constructor(most: number) {
    this.#left = most;
  }

  /**
   * Reads the body of a request, for a parser. The rest of a too large body is read and dropped before the answer: a client that
   * is cut off while it sends never sees the answer. The same is done with a body that has no room in memory; it is refused as
   * `overloaded`. A body in too many pieces is refused at once, because each piece costs as much as a kilobyte. For a path
   * without a route, nothing is read.
   */
  read(request: FastifyRequest, payload: IncomingMessage, done: Done): void {
    if (request.is404) {
      done(null, EMPTY);
      return;
    }
    const limit = request.routeOptions.bodyLimit;
    const most = Math.min(limit, Number(payload.headers['content-length'] ?? limit));
    let kept = EMPTY;
    let length = 0;
    let pieces = 0;
    let refusal: Fault | null = null;
    const drop = (): void => {
      this.#left += kept.length;
      kept = EMPTY;
    };
    const onData = (piece: Buffer): void => {
      const before = length;
      length += piece.length;
      pieces += 1;
      if (length <= limit && refusal === null) {
        const more = withPiece(kept, before, piece, most);
        this.#left -= more.length - kept.length;
        kept = more;
        if (this.#left < 0) refusal = new Fault('overloaded', NO_ROOM, { retryAfter: 1 });
      }
      if (pieces > MOST_PIECES) refusal = new Fault('too_large', TOO_MANY_PIECES);
      if (length > limit || refusal !== null) drop();
      if (length > DRAIN_BYTES || pieces > MOST_PIECES) finish(refusal);
    };
    const onEnd = (): void => {
      const body = kept.length === length ? kept : kept.subarray(0, length);
      finish(refusal, length > limit ? null : body);
    };
    const onError = (cause: Error): void => {
      drop();
      // The client disconnected in the middle of its body: no error of the service.
      finish(new Fault('invalid_json', 'The body did not arrive as a whole.', { cause }));
    };
    const finish = (error: Fault | null, body: RawBody = null): void => {
      payload.off('data', onData).off('end', onEnd).off('error', onError);
      // A later error can no longer be answered.
      payload.on('error', () => undefined);
      this.#held.set(payload, kept.length);
      done(error, body);
    };
    payload.on('data', onData).on('end', onEnd).on('error', onError);
  }

  /** Keeps the memory of a body counted until the answer is called, because the body is still used after its client is gone. */
  take({ raw }: FastifyRequest): () => void {
    const bytes = this.#held.get(raw) ?? 0;
    this.#held.delete(raw);
    return () => {
      this.#left += bytes;
    };
  }

  /** Stops counting a body that no route has taken over: its request was answered, or its client is gone. */
  letGo(request: IncomingMessage): void {
    this.#left += this.#held.get(request) ?? 0;
    this.#held.delete(request);
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly bodies: Bodies;
  }
}

/**
 * Makes the routes of a scope read every body as bytes, whatever its Content-Type, even an invalid one.
 *
 * @param refused called when a body was refused before any route has seen it.
 */
export function takeRawBodies(scope: FastifyInstance, refused: (code: FaultCode) => void): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (request, payload, done) => {
    scope.bodies.read(request, payload, (error, body) => {
      if (error) refused(error.code);
      done(error, body);
    });
  });
  scope.addHook('onRequest', ({ raw }, _reply, done) => {
    // Without a Content-Type the framework can't refuse an invalid one before a parser runs. (Deleting the header would make the
    // object slow.)
    raw.headers['content-type'] = undefined;
    done();
  });
}

const EMPTY: Buffer = Buffer.alloc(0);
const NO_ROOM = 'More comes in at once than there is memory for. Try again shortly.';
const TOO_MANY_PIECES = `The body comes in more than ${MOST_PIECES} pieces: send larger ones.`;

/**
 * Appends a piece to the `length` bytes of a body. Uses the same buffer if it has room, else a new one of twice the size, but of
 * `most` bytes at most. The first piece is not copied: most bodies have only one.
 */
function withPiece(kept: Buffer, length: number, piece: Buffer, most: number): Buffer {
  if (length === 0) return piece;
  const needed = length + piece.length;
  let to = kept;
  if (needed > kept.length) {
    to = Buffer.allocUnsafeSlow(Math.min(Math.max(needed, 2 * kept.length), most));
    kept.copy(to, 0, 0, length);
  }
  piece.copy(to, length);
  return to;
}
