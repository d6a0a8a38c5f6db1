import diagnostics from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Bounds `app.close()`. Node's own close drops idle connections once and then waits, but it takes a connection that has
 * never sent a byte for one with a request under way, and one whose last answer goes out later stays open. Here the
 * first kind is dropped at once, the second when its answer is out, and what is left after `timeout` milliseconds is
 * cut off.
 */
export function closeInTime(app: FastifyInstance, timeout: number): void {
  const { server } = app;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
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

/** Calls `run` after each answer that went out. Costs nothing until it is called: a listener on requests would. */
function onEachAnswer(server: Server, run: () => void): () => void {
  const finished = (message: unknown): void => {
    if ((message as { readonly server: unknown }).server === server) setImmediate(run);
  };
  diagnostics.subscribe(ANSWERED, finished);
  return () => diagnostics.unsubscribe(ANSWERED, finished);
}

const ANSWERED = 'http.server.response.finish';
