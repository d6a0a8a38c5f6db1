import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Message = Readonly<Record<string, unknown>>;

export type Script = (body: string, response: ServerResponse, request: IncomingMessage) => void;

/** A real HTTP server on a free port, until the test is over. */
export async function serve(script: Script): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => script(body, response, request));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A receiver of webhooks that keeps what came. */
export class Inbox {
  readonly messages: Message[] = [];
  status = 200;
  url = '';
  #watchers: (() => void)[] = [];

  async open(): Promise<this> {
    this.url = await serve((body, response) => {
      this.messages.push(JSON.parse(body) as Message);
      response.writeHead(this.status).end();
      for (const watcher of this.#watchers.splice(0)) watcher();
    });
    return this;
  }

  /** Resolves when so many have come. */
  async count(wanted: number): Promise<readonly Message[]> {
    while (this.messages.length < wanted) await new Promise<void>((resolve) => this.#watchers.push(resolve));
    return this.messages;
  }
}
