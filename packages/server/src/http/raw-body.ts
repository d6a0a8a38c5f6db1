import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault, type FaultCode } from '../core/fault.ts';

/** A request's body as it came; null when it was larger than its route takes (`bodyLimit`). */
export type RawBody = Buffer | null;

type Done = (error: Fault | null, body: RawBody) => void;

/** What is still read of a body that is too large, so that its sender gets to read the answer. */
const DRAIN_BYTES = 8 * 1024 * 1024;

/** Pieces that a body may come in: chunks, or what one read of the connection brought. A whole batch in pieces of 8 bytes has fewer. */
const MOST_PIECES = 65_536;

/**
 * The bodies in memory, of all requests together: those that are read, and those whose requests are not answered. Every scope reads by
 * it, because most bodies come before it is known who sends them.
 */
export class Bodies {
  #left: number;
  /** Bytes of bodies that no route has taken over. */
  readonly #held = new WeakMap<IncomingMessage, number>();

  /** @param most bytes of all bodies that are held at once. */
  constructor(most: number) {
    this.#left = most;
  }

  /**
   * The body of a request, for a parser. The rest of one that is too large is read and dropped first, because a client that is
   * cut off while it sends never sees why. So is one for which there is no room, which is refused as `overloaded`. One that
   * comes in too many pieces is refused at once, because each costs as much as a kilobyte. Of a path that no route has, nothing is read.
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
      // A client that goes away in the middle of its body is no fault of ours.
      finish(new Fault('invalid_json', 'The body did not arrive as a whole.', { cause }));
    };
    const finish = (error: Fault | null, body: RawBody = null): void => {
      payload.off('data', onData).off('end', onEnd).off('error', onError);
      // An error that comes after this can no longer be told.
      payload.on('error', () => undefined);
      this.#held.set(payload, kept.length);
      done(error, body);
    };
    payload.on('data', onData).on('end', onEnd).on('error', onError);
  }

  /** Takes over the room of a request's body until the answer is called: one whose client has gone is still worked on. */
  take({ raw }: FastifyRequest): () => void {
    const bytes = this.#held.get(raw) ?? 0;
    this.#held.delete(raw);
    return () => {
      this.#left += bytes;
    };
  }

  /** Lets go of a body that no route has taken over: its request was answered, or its client has gone. */
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
 * Makes the routes of a scope take every body as bytes, under any Content-Type, even an invalid one.
 *
 * @param refused a body was refused before any route has seen it.
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
    // The framework refuses a Content-Type it can't parse, before any parser is asked. (Deleting it would turn the
    // headers into a slow object.)
    raw.headers['content-type'] = undefined;
    done();
  });
}

const EMPTY: Buffer = Buffer.alloc(0);
const NO_ROOM = 'More comes in at once than there is memory for. Try again shortly.';
const TOO_MANY_PIECES = `The body comes in more than ${MOST_PIECES} pieces: send larger ones.`;

/**
 * What is kept of a body, `length` bytes of it, with the next piece: in the same buffer where that has room, else in one of twice
 * the size, `most` at most. The common body is one piece, which stays as it came.
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
