/**
 * An endpoint by Node's own servers, the same over HTTP and over TLS, where a client may choose HTTP/2. Arguments: files of its
 * certificate and key. Prints "listening on <port> <port of TLS>"; GET /stats answers `{"ok"}`, GET /reset begins anew.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';

const [cert = '', key = ''] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));
let ok = 0;

function serve(
  request: IncomingMessage | Http2ServerRequest,
  response: (ServerResponse | Http2ServerResponse) & { end(text: string): unknown },
): void {
  request.resume().once('end', () => {
    if (request.url === '/reset') ok = 0;
    else if (request.url !== '/stats') ok++;
    const text = request.url === '/stats' ? JSON.stringify({ ok }) : 'ok';
    response.setHeader('content-length', text.length);
    response.end(text);
  });
}

const servers = [createServer(serve), createSecureServer({ cert, key, allowHTTP1: true }, serve)];
const ports = await Promise.all(servers.map(listening));
console.log(`listening on ${ports.join(' ')}`);
process.stdin.once('end', () => process.exit(0)).resume();

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
