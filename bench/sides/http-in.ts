/**
 * Ceiling: HTTP in. Takes calls, parses them, answers, and does nothing else. Its argument is `node` or `fastify`.
 * Prints "listening on <port>".
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';

const ANSWER = '{"success":true}';

if (process.argv[2] === 'fastify') {
  const app = Fastify();
  app.post('/v1/track', () => ({ success: true }));
  app.post('/v1/batch', { bodyLimit: 512_000 }, () => ({ success: true }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  announce(app.server.address());
} else {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString());
      answer(response);
    });
  });
  server.listen(0, '127.0.0.1', () => announce(server.address()));
}

function answer(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER);
}

function announce(address: AddressInfo | string | null): void {
  if (address !== null && typeof address !== 'string') console.log(`listening on ${address.port}`);
}
