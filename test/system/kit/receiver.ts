import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import './leaks.ts';

/** A request as it came in. */
export interface Arrival {
  readonly path: string;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values by turns, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly text: string;
  readonly message: Readonly<Record<string, unknown>>;
  /** The same message on the same path: 1 for the first time. */
  readonly attempt: number;
  /** When its head had come, milliseconds since the epoch. */
  readonly at: number;
  /** When it was answered; null while it has not been. */
  answeredAt: number | null;
  /** Resolves with the time when its connection was closed. */
  readonly closed: Promise<number>;
}

export interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/**
 * A status, a whole answer, or a fault: `hang` answers nothing, `head` sends the status 200 and never ends the body,
 * `endless` sends it and a body without an end, `reset` and `close` end the connection without an answer, `garbage`
 * answers what is no HTTP.
 */
export type Reply = number | Response | 'hang' | 'head' | 'endless' | 'reset' | 'close' | 'garbage';

export type Script = (arrival: Arrival) => Reply | Promise<Reply>;

export interface ReceiverOptions {
  readonly port?: number;
  /** PEM: the receiver speaks https. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** False: arrivals are handed to the script and then forgotten. */
  readonly keep?: boolean;
}

const TIMEOUT_MS = 20_000;

/** A real HTTP server whose answers, and failures to answer, are scripted. */
export class Receiver {
  readonly arrivals: Arrival[] = [];
  /** Connections that were made, whether or not a request came over them. */
  connections = 0;
  /** Bytes that came inside TLS. */
  bytesInside = 0;
  readonly #server: ReturnType<typeof createServer>;
  readonly #scheme: string;
  readonly #sockets = new Map<Socket, Promise<number>>();
  readonly #attempts = new Map<string, number>();
  readonly #watchers = new Set<() => void>();
  readonly #keep: boolean;
  #script: Script;
  #arrived = 0;

  constructor(script: Script, options: ReceiverOptions = {}) {
    this.#script = script;
    this.#keep = options.keep ?? true;
    this.#scheme = options.tls ? 'https' : 'http';
    const take = (request: IncomingMessage, response: ServerResponse): void => void this.#take(request, response);
    this.#server = options.tls ? createSecureServer(options.tls, take) : createServer(take);
    this.#server.keepAliveTimeout = 60_000;
    this.#server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.#watch(socket);
    });
    this.#server.on('secureConnection', (socket: Socket) => {
      this.#watch(socket);
      socket.on('data', (chunk: Buffer) => {
        this.bytesInside += chunk.length;
      });
    });
    this.#server.on('tlsClientError', () => {});
  }

  #watch(socket: Socket): void {
    const closed = new Promise<number>((resolve) => {
      socket.on('close', () => resolve(Date.now()));
    });
    this.#sockets.set(socket, closed);
    // Resets are part of the script.
    socket.on('error', () => {});
    void closed.then(() => this.#sockets.delete(socket));
  }

  async listen(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path = '/', host = '127.0.0.1'): string {
    return `${this.#scheme}://${host}:${this.port}${path}`;
  }

  /** How many requests have come, on all paths. */
  get arrived(): number {
    return this.#arrived;
  }

  on(path: string): Arrival[] {
    return this.arrivals.filter((arrival) => arrival.path === path);
  }

  become(script: Script): void {
    this.#script = script;
  }

  /** The first `count` requests (of those on `path`, where one is named), as soon as they have come. */
  async waitFor(count: number, path?: string): Promise<Arrival[]> {
    const those = (): Arrival[] => (path === undefined ? this.arrivals : this.on(path));
    await this.until(() => those().length >= count, `${count} requests${path === undefined ? '' : ` on ${path}`}`);
    return those().slice(0, count);
  }

  /** Resolves when the condition holds; looked at whenever a request has come or was answered. */
  until(condition: () => boolean, what = 'the condition', timeout: number = TIMEOUT_MS): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!condition()) return;
        this.#watchers.delete(look);
        clearTimeout(deadline);
        resolve();
      };
      const deadline = setTimeout(() => {
        this.#watchers.delete(look);
        const came = this.arrivals
          .slice(-20)
          .map(({ path, attempt, text }) => `${path} (${attempt}): ${text.slice(0, 200)}`);
        reject(new Error(`waited for ${what}; ${this.#arrived} requests had come:\n${came.join('\n')}`));
      }, timeout);
      this.#watchers.add(look);
      look();
    });
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets.keys()) socket.destroy();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now();
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // The sender went away in the middle of its request: there is no connection to answer on.
      return;
    }
    const arrival = this.#arrival(request, Buffer.concat(chunks), at);
    this.#arrived += 1;
    if (this.#keep) this.arrivals.push(arrival);
    this.#look();
    const reply = await this.#script(arrival);
    answer(reply, request.socket, response);
    if (reply !== 'hang') arrival.answeredAt = Date.now();
    this.#look();
  }

  #arrival(request: IncomingMessage, body: Buffer, at: number): Arrival {
    const path = request.url ?? '';
    const text = body.toString();
    const message = asObject(text);
    const key = `${path} ${String(message['messageId'])}`;
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, attempt);
    return {
      path,
      method: request.method ?? '',
      headers: request.headers as Record<string, string>,
      rawHeaders: request.rawHeaders,
      body,
      text,
      message,
      attempt,
      at,
      answeredAt: null,
      closed: this.#sockets.get(request.socket) ?? Promise.resolve(Date.now()),
    };
  }

  #look(): void {
    for (const look of [...this.#watchers]) look();
  }
}

/** A receiver until the test is over. */
export async function receive(script: Script | Reply = 200, options: ReceiverOptions = {}): Promise<Receiver> {
  const receiver = new Receiver(typeof script === 'function' ? script : () => script, options);
  await receiver.listen(options.port);
  onTestFinished(() => receiver.close());
  return receiver;
}

function answer(reply: Reply, socket: Socket, response: ServerResponse): void {
  if (reply === 'hang') return;
  if (reply === 'reset') {
    socket.resetAndDestroy();
  } else if (reply === 'close') {
    socket.destroy();
  } else if (reply === 'garbage') {
    socket.end('these are not the words\r\nof any protocol\r\n\r\n');
  } else if (reply === 'head') {
    response.writeHead(200, { 'Content-Length': '10' });
    response.flushHeaders();
  } else if (reply === 'endless') {
    response.writeHead(200);
    const more = (): void => {
      while (response.write('endless '.repeat(1_024)));
    };
    response.on('drain', more);
    more();
  } else {
    const { status, headers = {}, body = '' } = typeof reply === 'number' ? { status: reply } : reply;
    response.writeHead(status, headers);
    response.end(body);
  }
}

function asObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    // Whether it should have been JSON is for the test to say.
    return {};
  }
}
