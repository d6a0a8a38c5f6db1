import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Certificate } from './test-certificates.ts';

/** Listens on a free port until the test is over; answers the port. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => {})));
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** Adds a certificate authority to those this process trusts, until the test is over. */
export function trust(authority: Certificate): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, authority.pem]);
  onTestFinished(() => setDefaultCACertificates(before));
}
