import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault, type FaultCode } from '../core/fault.ts';

/** A request's body as it came; null when it was larger than its route takes (`bodyLimit`). */
export type RawBody = Buffer | null;

type Done = (error: Fault | null, body: RawBody) => void;

/** What is still read of a body that is too large, so that its sender gets to read the answer. */
const DRAIN_BYTES = 8 * 1024 * 1024;

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
   * cut off while it sends never sees why. So is one for which there is no room, which is refused as `overloaded`. Of a path
   * that no route has, nothing is read.
   */
  read(request: FastifyRequest, payload: IncomingMessage, done: Done): void {
    if (request.is404) {
      done(null, EMPTY);
      return;
    }
    const limit = request.routeOptions.bodyLimit;
    const chunks: Buffer[] = [];
    let length = 0;
    let kept = 0;
    let refusal: Fault | null = null;
    const drop = (): void => {
      chunks.length = 0;
      this.#left += kept;
      kept = 0;
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= limit && refusal === null) {
        chunks.push(chunk);
        kept += chunk.length;
        this.#left -= chunk.length;
        if (this.#left < 0) refusal = new Fault('overloaded', NO_ROOM, { retryAfter: 1 });
      }
      if (length > limit || refusal !== null) drop();
      if (length > DRAIN_BYTES) finish(refusal);
    };
    const onEnd = (): void => finish(refusal, length > limit ? null : oneBuffer(chunks, length));
    const onError = (cause: Error): void => {
      drop();
      // A client that goes away in the middle of its body is no fault of ours.
      finish(new Fault('invalid_json', 'The body did not arrive as a whole.', { cause }));
    };
    const finish = (error: Fault | null, body: RawBody = null): void => {
      payload.off('data', onData).off('end', onEnd).off('error', onError);
      // An error that comes after this can no longer be told.
      payload.on('error', () => undefined);
      this.#held.set(payload, kept);
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

const EMPTY = Buffer.alloc(0);
const NO_ROOM = 'More comes in at once than there is memory for. Try again shortly.';

function oneBuffer(chunks: readonly Buffer[], length: number): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first ? first : Buffer.concat(chunks, length);
}
