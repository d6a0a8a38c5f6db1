import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { Random } from '../simulation/random.ts';
import { answerOf, FRAUD_DOWN } from './moods.ts';

export interface Endpoints {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  stop(): Promise<void>;
}

/** An outage's answers are late, so that the pictures have not more of them than of anything else. */
const FRAUD_MS = 1_500;

/** What answers for every destination, now: as it did in the history, and where that ends with an outage it goes on. */
export async function startEndpoints(seed: number): Promise<Endpoints> {
  const random = new Random(seed);
  const waiting = new Set<NodeJS.Timeout>();
  const answer = (path: string, response: ServerResponse): void => {
    if (path === '/fraud') {
      const timer = setTimeout(() => {
        waiting.delete(timer);
        response.writeHead(500).end(FRAUD_DOWN);
      }, FRAUD_MS);
      waiting.add(timer);
      return;
    }
    const { outcome } = answerOf(`http://127.0.0.1${path}`, 0, random);
    response.writeHead(outcome.status ?? 503).end(outcome.answer ?? '');
  };
  const server = createServer((request, response) => {
    request.resume().once('end', () => answer(request.url ?? '/', response));
  });
  const port = await listenOn(server, 9000);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      for (const timer of waiting) clearTimeout(timer);
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The port if it is free, else 0. What listens there then is gone again. */
export async function portOr0(port: number): Promise<number> {
  const server = createServer();
  const found = await listenOn(server, port);
  const closed = once(server, 'close');
  server.close();
  await closed;
  return found === port ? port : 0;
}

/** Listens on the port, or on another where that is taken; answers which. */
async function listenOn(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  return (server.address() as AddressInfo).port;
}
