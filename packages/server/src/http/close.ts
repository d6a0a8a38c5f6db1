import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { within } from '../core/pause.ts';

/** A close drops connections that have become idle this often, milliseconds. */
const LOOK_MS = 20;

/**
 * Limits how long `app.close()` takes. Node's own close drops the connections that are idle at that moment, then waits. It treats
 * a connection that has never sent a byte as busy, and keeps a connection open whose last answer goes out later. Here, the former
 * are dropped at once, the latter after their answer, and all others after `timeout` milliseconds. Then the close waits up to
 * `timeout` again for handlers whose client is gone.
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
  // Node, whose own close calls it too, takes a connection for idle while its last answer still goes out.
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    if ([...sockets].every(({ writableLength }) => writableLength === 0)) closeIdle();
  };
  app.addHook('preClose', (done) => {
    if (!server.listening) return done();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    const looking = setInterval(() => server.closeIdleConnections(), LOOK_MS);
    const deadline = setTimeout(() => server.closeAllConnections(), timeout);
    server.once('close', () => {
      clearTimeout(deadline);
      clearInterval(looking);
    });
    done();
  });
}

/**
 * The running handlers of some routes. A handler keeps running after its client is gone, and uses things that are closed after
 * the server: so `app.close()` waits for it. A handler that has taken over its answer (`reply.hijack`) is not waited for.
 */
class Handlers {
  readonly #atWork = new Set<FastifyRequest>();
  #idle = Promise.withResolvers<void>();

  /** Adds the handlers of this scope from now on. */
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

  /** Resolves when no handler runs, or after `timeout` milliseconds. */
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
