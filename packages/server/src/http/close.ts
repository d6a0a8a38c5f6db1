import diagnostics from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { within } from '../core/pause.ts';

/**
 * Bounds `app.close()`. Node's own close drops idle connections once and then waits, but it takes a connection that has
 * never sent a byte for one with a request under way, and one whose last answer goes out later stays open. Here the
 * first kind is dropped at once, the second when its answer is out, and what is left after `timeout` milliseconds is
 * cut off. Then it waits as long for handlers that are at work without a client.
 */
export function closeInTime(app: FastifyInstance, timeout: number): void {
  const { server } = app;
  const handlers = new Handlers();
  app.decorate('handlers', handlers);
  const close = app.close.bind(app);
  app.close = (async () => {
    await close();
    await handlers.ended(timeout);
  }) as FastifyInstance['close'];
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
    if (!server.listening) return done();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    const stopWatching = onEachAnswer(server, () => server.closeIdleConnections());
    const deadline = setTimeout(() => server.closeAllConnections(), timeout);
    server.once('close', () => {
      clearTimeout(deadline);
      stopWatching();
    });
    done();
  });
}

/**
 * The handlers of some routes that are at work. One whose client has gone away goes on, and needs what is closed after the server: so
 * `app.close()` waits for them too. A handler that has taken over its answer sees to that itself.
 */
class Handlers {
  readonly #atWork = new Set<FastifyRequest>();
  #idle = Promise.withResolvers<void>();

  /** From now on those of this scope. */
  watch(scope: FastifyInstance): void {
    scope.addHook('onRequest', (request, _reply, done) => {
      this.#atWork.add(request);
      done();
    });
    scope.addHook('onSend', (request, _reply, _payload, done) => {
      this.#ended(request);
      done();
    });
    scope.addHook('onResponse', (request, reply, done) => {
      if (reply.sent) this.#ended(request);
      done();
    });
  }

  /** Resolves when none is at work, or after so many milliseconds. */
  async ended(timeout: number): Promise<void> {
    this.#idle = Promise.withResolvers();
    if (this.#atWork.size > 0) await within(timeout, this.#idle.promise, () => undefined);
  }

  #ended(request: FastifyRequest): void {
    this.#atWork.delete(request);
    if (this.#atWork.size === 0) this.#idle.resolve();
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly handlers: Handlers;
  }
}

/** Calls `run` after each answer that went out. Costs nothing until it is called: a listener on requests would. */
function onEachAnswer(server: Server, run: () => void): () => void {
  const finished = (message: unknown): void => {
    if ((message as { readonly server: unknown }).server === server) setImmediate(run);
  };
  diagnostics.subscribe(ANSWERED, finished);
  return () => diagnostics.unsubscribe(ANSWERED, finished);
}

const ANSWERED = 'http.server.response.finish';
