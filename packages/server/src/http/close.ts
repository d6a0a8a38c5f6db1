import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Bounds `app.close()`. Node's own close waits for requests under way and drops idle connections, but it takes a
 * connection that has never sent a byte for one with a request under way; those are dropped at once, and whatever is
 * left after `timeout` milliseconds is cut off.
 */
export function closeInTime(app: FastifyInstance, timeout: number): void {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  let deadline: NodeJS.Timeout | undefined;
  app.addHook('preClose', (done) => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    deadline = setTimeout(() => app.server.closeAllConnections(), timeout);
    done();
  });
  app.server.once('close', () => clearTimeout(deadline));
}
