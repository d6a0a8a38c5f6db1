import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** A request as it came in, and the connection to answer it on, with any bytes the test wants. */
export interface Received {
  readonly text: string;
  readonly socket: Socket;
  /** Which connection of the receiver, from 1. */
  readonly connection: number;
}

/** A server that takes whole requests and leaves every byte of the answer to the test, so that it can fail in any way. */
export class ScriptedReceiver {
  readonly requests: Received[] = [];
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(answer: (received: Received) => void) {
    this.#server = createServer((socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      // Resets are part of the script.
      socket.on('error', () => {});
      this.#read(socket, this.connections, answer);
    });
  }

  /** Answers the URL it is at, on a free port unless one is named, until the test is over. */
  async listen(host = '127.0.0.1', at = 0): Promise<string> {
    this.#server.listen(at, host);
    await once(this.#server, 'listening');
    onTestFinished(() => this.close());
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
    return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  }

  /** Resolves when the connection of the first request is closed. */
  async firstClosed(): Promise<void> {
    const socket = this.requests[0]?.socket;
    if (socket === undefined) throw new Error('no request has come in');
    if (!socket.closed) await once(socket, 'close');
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #read(socket: Socket, connection: number, answer: (received: Received) => void): void {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
      const length = /content-length: (\d+)\r\n/i.exec(text)?.[1];
      const [head = ''] = text.split('\r\n\r\n', 1);
      if (length === undefined || Buffer.byteLength(text) < head.length + 4 + Number(length)) return;
      const received = { text, socket, connection };
      text = '';
      this.requests.push(received);
      answer(received);
    });
  }
}

export async function receive(
  answer: (received: Received) => void,
): Promise<{ url: string; receiver: ScriptedReceiver }> {
  const receiver = new ScriptedReceiver(answer);
  return { receiver, url: await receiver.listen() };
}

/** Always the same answer. */
export function answers(text: string): (received: Received) => void {
  return ({ socket }) => void socket.write(text);
}

/** Resolves when the condition holds; looked at whenever the event loop turns. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
