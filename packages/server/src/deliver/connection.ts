import type { Socket } from 'node:net';
import Client from 'undici/lib/dispatcher/client.js';
import type { Connect } from './connect.ts';

/** Most bytes of a response body that are read (contract 3), and of the response headers. */
const MAX_BODY = 65_536;
const MAX_HEAD = 65_536;

/** More came in answer to one request, informational responses and the framing of chunks included. */
const TOO_MUCH = Object.assign(new Error('more than 128 KiB came before the response headers ended'), {
  code: 'answer_too_large',
});

/**
 * One place for a request to a URL: an undici client, which opens its socket when it is first needed and opens another
 * when that one is gone. `drop` lets go of the socket at once, also while it connects, which a client alone can't.
 */
export class Connection {
  /** The present socket has answered a request. If it fails before the next answer begins, the peer may have closed it. */
  reused = false;
  readonly #origin: string;
  readonly #connect: Connect;
  #client: Client | null = null;
  #opening: Opening | null = null;
  #socket: Socket | null = null;
  /** What the socket had read when the present request began, bytes. */
  #readBefore = 0;
  /** Until when the certificate of the present socket may be trusted, milliseconds since the epoch. */
  #trustedUntil = Number.POSITIVE_INFINITY;
  #dropped: Promise<void> = Promise.resolve();

  constructor(origin: string, connect: Connect) {
    this.#origin = origin;
    this.#connect = connect;
  }

  dispatch(...[options, handler]: Parameters<Client['dispatch']>): void {
    if (Date.now() >= this.#trustedUntil) this.drop();
    this.#client ??= this.#open();
    this.#readBefore = this.#socket?.bytesRead ?? 0;
    this.#client.dispatch(options, handler);
  }

  /** How the present socket was opened, to who asks first. */
  takeOpening(): Opening | null {
    const opening = this.#opening;
    this.#opening = null;
    return opening;
  }

  /** Lets go of the socket at once. The next request opens another. */
  drop(): void {
    this.#socket?.destroy();
    this.#socket = null;
    this.#trustedUntil = Number.POSITIVE_INFINITY;
    if (this.#client === null) return;
    // Nothing of those that were dropped before stays in memory.
    this.#dropped = Promise.all([this.#dropped, this.#client.destroy()]).then(() => undefined);
    this.#client = null;
  }

  /** Resolves when every socket that was dropped is closed. */
  dropped(): Promise<void> {
    return this.#dropped;
  }

  #open(): Client {
    return new Client(this.#origin, {
      // Deadlines are kept by the sender: these timers are coarse.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Cookies and tracing fill the 16 KiB that would be read otherwise, and the status would be lost with the rest.
      maxHeaderSize: MAX_HEAD,
      maxResponseSize: MAX_BODY,
      // Servers that close idle connections after 5 s are common. What a Keep-Alive header promises goes before, less 1 s.
      keepAliveTimeout: 4000,
      keepAliveTimeoutThreshold: 1000,
      allowH2: false,
      connect: ({ hostname, protocol, port }, callback) => {
        this.reused = false;
        const begun = performance.now();
        this.#readBefore = 0;
        const socket = this.#connect({ hostname, protocol, port }, (error, connected, trustedUntil) => {
          if (error !== null) return callback(error, null);
          this.#trustedUntil = trustedUntil;
          // Before undici's own listener. Its limits see neither status lines nor 1xx responses nor what frames chunks.
          connected.on('readable', () => {
            if (connected.bytesRead - this.#readBefore > MAX_HEAD + MAX_BODY) connected.destroy(TOO_MUCH);
          });
          callback(null, connected);
        });
        this.#socket = socket;
        this.#opening = socket && openingOf(socket, begun);
      },
    });
  }
}

/** Milliseconds of the parts of opening a socket, filled as they end; `readyAt` is a time of `performance`. */
export interface Opening {
  dns: number | null;
  connect: number | null;
  tls: number | null;
  readyAt: number | null;
}

/** Three listeners a socket, and nothing for a request on one that is open. */
function openingOf(socket: Socket, begun: number): Opening {
  const opening: Opening = { dns: null, connect: null, tls: null, readyAt: null };
  let last = begun;
  const ended = (part: 'dns' | 'connect' | 'tls') => (): void => {
    const now = performance.now();
    opening[part] = now - last;
    opening.readyAt = now;
    last = now;
  };
  // An address that is tried after another was looked up with it.
  socket.once('lookup', ended('dns'));
  socket.once('connect', ended('connect'));
  socket.once('secureConnect', ended('tls'));
  return opening;
}
