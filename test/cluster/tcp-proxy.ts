import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { pause } from '../../packages/server/src/core/pause.ts';

/** A way to a server that can be cut, blocked and slowed down. */
export interface TcpProxy {
  readonly port: number;
  /** Cuts every connection; new ones pass. */
  cut(): void;
  /** From now on nothing passes, in either direction, and neither side is told. */
  block(): void;
  /** From now on what the server says does not pass. */
  blockAnswers(): void;
  /** Everything passes again; what was written meanwhile too. */
  unblock(): void;
  /** From now on everything arrives this much later, milliseconds. */
  delay(ms: number): void;
  /** Cuts every connection and takes no new ones. */
  close(): Promise<void>;
}

/** Starts a proxy on a port of its own to a port of this machine. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const upstreams = new WeakSet<Socket>();
  let blocked = false;
  let delay = 0;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    upstreams.add(upstream);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      let passed = Promise.resolve();
      from.on('data', (chunk) => {
        const due = pause(delay);
        passed = passed.then(() => due).then(() => void to.write(chunk));
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (blocked) from.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut,
    block() {
      blocked = true;
      for (const socket of sockets) socket.pause();
    },
    blockAnswers() {
      for (const socket of sockets) if (upstreams.has(socket)) socket.pause();
    },
    unblock() {
      blocked = false;
      for (const socket of sockets) socket.resume();
    },
    delay(ms) {
      delay = ms;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
