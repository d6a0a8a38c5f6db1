import type { Socket } from 'node:net';
import symbols from 'undici/lib/core/symbols.js';
import Client from 'undici/lib/dispatcher/client.js';
import type { Connect } from './connect.ts';

/** Most bytes of a response body that are read (contract 3), and of the response headers: cookies and tracing fill tens of kilobytes. */
const MAX_BODY = 65_536;
const MAX_HEAD = 65_536;
/** What a name and a value of a header count beside their bytes: each is an object while the answer is read. */
const OF_A_PIECE = 32;

const TOO_MANY = Object.assign(new Error('more than 64 KiB of headers came, or too many of them'), {
  code: 'answer_too_large',
});

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
  /** The present socket is connected and, for https, trusted. */
  isOpen = false;
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
    this.isOpen = false;
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
      maxResponseSize: MAX_BODY,
      // Servers that close idle connections after 5 s are common. What a Keep-Alive header promises goes before, less 1 s.
      keepAliveTimeout: 4000,
      keepAliveTimeoutThreshold: 1000,
      allowH2: false,
      connect: ({ hostname, protocol, port }, callback) => {
        this.reused = false;
        this.isOpen = false;
        const begun = performance.now();
        this.#readBefore = 0;
        const socket = this.#connect({ hostname, protocol, port }, (error, connected, trustedUntil) => {
          if (error !== null) return callback(error, null);
          this.isOpen = true;
          this.#trustedUntil = trustedUntil;
          // Before undici's own listener. Its limits see neither status lines nor 1xx responses nor what frames chunks.
          connected.on('readable', () => {
            if (connected.bytesRead - this.#readBefore > MAX_HEAD + MAX_BODY) connected.destroy(TOO_MUCH);
          });
          // A TLS alert, such as `certificate required`, leaves the socket open. Its end would be told in the place of the alert.
          connected.once('error', (alert) => connected.destroy(alert));
          callback(null, connected);
          amendParser(connected);
        });
        this.#socket = socket;
        this.#opening = socket && openingOf(socket, begun);
      },
    });
  }
}

/** The part of undici's parser that is amended. */
interface Parser {
  headersSize: number;
  onHeadersComplete(status: number, ...flags: boolean[]): number;
  trackHeader(bytes: number): void;
}

/**
 * undici drops the connection at `100 Continue`. A client skips it, as any 1xx response that it did not ask for (RFC 9110, section
 * 15.2). And undici counts the bytes of headers alone, and parses on when they are too many: an answer of short ones took megabytes.
 */
function amendParser(socket: Socket): void {
  const parser: Parser | undefined = Reflect.get(socket, symbols.kParser);
  // Absent where the socket was gone before undici had it.
  if (parser === undefined) return;
  const { onHeadersComplete } = parser;
  parser.onHeadersComplete = (status, ...flags) =>
    onHeadersComplete.call(parser, status === 100 ? PROCESSING : status, ...flags);
  parser.trackHeader = (bytes) => {
    parser.headersSize += bytes + OF_A_PIECE;
    // Ends the parsing of this chunk too: undici closes the socket with what is thrown.
    if (parser.headersSize >= MAX_HEAD) throw TOO_MANY;
  };
}

/** A 1xx status that undici skips. */
const PROCESSING = 102;

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
