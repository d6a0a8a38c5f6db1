import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Reply, Seen } from './server-script.ts';

interface Room {
  readonly script: Reply[];
  readonly seen: Seen[];
}

export interface ScriptedServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A real server whose faults are scripted over HTTP, so that a test can do it from any runtime: what is below
 * `/<room>` is a collection API of its own. `PUT /<room>` gives the replies (the last one goes on), `GET /<room>` tells
 * which batches came, and `POST /<room>/v1/batch` is answered by the script.
 */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const rooms = new Map<string, Room>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => take(rooms, request, body, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, PUT, POST',
  'Access-Control-Allow-Headers': 'authorization, content-type',
  'Access-Control-Expose-Headers': 'Retry-After',
  // A browser sends again what is reset on a connection it has used before.
  Connection: 'close',
};

function take(
  rooms: Map<string, Room>,
  { method, url = '', headers }: IncomingMessage,
  body: string,
  response: ServerResponse,
): void {
  const [, name = '', ...path] = url.split('/');
  const room = rooms.get(name) ?? { script: [], seen: [] };
  rooms.set(name, room);
  if (method === 'PUT') room.script.splice(0, room.script.length, ...JSON.parse(body));
  if (method !== 'POST') {
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'application/json' });
    response.end(JSON.stringify(room.seen));
    return;
  }
  room.seen.push({ path: `/${path.join('/')}`, headers: headers as Seen['headers'], body });
  const reply = (room.script.length > 1 ? room.script.shift() : room.script[0]) ?? 200;
  if (reply === 'hang') return;
  if (reply === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (reply === 'head') {
    response.writeHead(200, { ...HEADERS, 'Content-Length': '99' });
    response.write('{');
    return;
  }
  const { status, headers: more, body: answer } = typeof reply === 'number' ? { status: reply } : reply;
  response.writeHead(status, { ...HEADERS, ...more });
  response.end(answer ?? (status < 300 ? '{"success":true}' : ''));
}
