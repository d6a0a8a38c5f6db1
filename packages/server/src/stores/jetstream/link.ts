import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, errors, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { PRIVATE_AUTHORITY, refusesCertificate } from '../../core/certificate.ts';
import { pause, within } from '../../core/pause.ts';
import { isPassing } from './failure.ts';

export interface LinkOptions {
  /** `nats://[user:password@]host:port`, or `tls://…`; several are separated by commas. */
  readonly url: string;
  /** This client's name in the servers' monitoring. */
  readonly name: string;
  /** Called with errors that are no answer to a request, mostly missing permissions. */
  readonly report: (error: unknown) => void;
  /** Called with the reason, in words, when the link goes down, and with null when it is up again. */
  readonly changed?: (reason: string | null) => void;
}

const CONNECT_MS = 5_000;
/** After this time of silence the client sends a ping. After two pings without an answer the connection counts as lost. */
const PING_MS = 4_000;
const RECONNECT_MS = 250;
const CHECK_PAUSE_MS = 500;
/** How long a request to JetStream waits for its answer. */
const REQUEST_MS = 5_000;

/** The connection to NATS. It is made again whenever it breaks. The link is up while there is a connection and its last check succeeded. */
export class Link {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly #options: LinkOptions;
  readonly #listeners = new Set<() => void>();
  #trouble: string | null = null;
  /** Pending while the link is down. */
  #up: PromiseWithResolvers<void> = Promise.withResolvers();
  #isUp = true;
  /** How often the connection was lost, and the number of losses when it last came back. */
  #losses = 0;
  #found = 0;
  #check: () => Promise<void> = () => Promise.resolve();
  #mend: (() => Promise<void>) | null = null;

  private constructor(nc: NatsConnection, jsm: JetStreamManager, options: LinkOptions) {
    this.nc = nc;
    this.js = jetstream(nc, { timeout: REQUEST_MS });
    this.jsm = jsm;
    this.#options = options;
    this.#up.resolve();
    void this.#watch();
  }

  /** @throws Error that says which address did not answer or refused, and what to check. */
  static async open(link: LinkOptions): Promise<Link> {
    const { url, name } = link;
    const options = parseUrl(url);
    let nc: NatsConnection;
    try {
      nc = await connect({
        ...options,
        name,
        timeout: CONNECT_MS,
        maxReconnectAttempts: -1,
        reconnectTimeWait: RECONNECT_MS,
        pingInterval: PING_MS,
        maxPingOut: 2,
        // Servers that are being reloaded may refuse a user for a moment. That is no reason to give up.
        ignoreAuthErrorAbort: true,
        noAsyncTraces: true,
      });
    } catch (error) {
      throw connectError(error, options.servers);
    }
    return new Link(nc, await jetstreamManager(nc, { checkAPI: false, timeout: REQUEST_MS }), link);
  }

  /** Whether there is a connection and its streams are as they should be, as far as this process knows. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** The largest message that the servers accept, bytes. */
  get maxPayload(): number {
    return this.nc.info?.max_payload ?? 1024 * 1024;
  }

  /** Why NATS can't be asked, in words; null if it can. */
  get trouble(): string | null {
    return this.#isUp ? null : (this.#trouble ?? "NATS can't be reached; trying again");
  }

  /** Resolves when there is a connection, or when the link is closed. */
  up(): Promise<void> {
    return this.#up.promise;
  }

  /** Sets a check that must succeed before a returned connection counts as up. It is repeated until it does. */
  checkReturns(check: () => Promise<void>): void {
    this.#check = check;
  }

  /** Calls the listener whenever the connection came back: earlier requests may be lost. */
  onReturn(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /**
   * What a stream holds is not what this process left in it. The link is down until `mend`, and after it the check of returned
   * connections, have succeeded.
   */
  suspect(error: Error, mend?: () => Promise<void>): void {
    if (!this.#isUp) return;
    this.#mend = mend ?? null;
    this.#trouble = error.message;
    this.#down(error.message);
    void this.#return();
  }

  /** Sends pending messages if there is a connection, and closes it. */
  async close(): Promise<void> {
    if (this.#isUp && !this.nc.isClosed()) {
      // Messages that can't be sent are sent again by other nodes. The close does not wait for them.
      await within(
        2_000,
        this.nc.flush().catch(() => undefined),
        () => undefined,
      );
    }
    await this.nc.close();
  }

  #down(reason: string): void {
    this.#isUp = false;
    this.#up = Promise.withResolvers();
    this.#options.changed?.(reason);
  }

  async #watch(): Promise<void> {
    for await (const status of this.nc.status()) {
      if (status.type === 'disconnect') {
        this.#losses++;
        if (this.#isUp) this.#down('the connection to NATS was lost; trying again');
      } else if (status.type === 'reconnect') {
        // This status also comes for each attempt that was refused before.
        if (this.#found === this.#losses) continue;
        this.#found = this.#losses;
        void this.#return();
      } else if (status.type === 'error') {
        this.#options.report(status.error);
      }
    }
    // Closed: waiting callers continue, and get an error.
    this.#losses++;
    this.#isUp = false;
    this.#up.resolve();
  }

  async #return(): Promise<void> {
    const { report, changed } = this.#options;
    const losses = this.#losses;
    for (let checked = false; !checked; ) {
      try {
        await this.#mend?.();
        this.#mend = null;
        await this.#check();
        checked = true;
      } catch (error) {
        // Servers that have just started do not know their streams yet.
        if (losses === this.#losses && !isPassing(error)) {
          // The same error is reported once.
          if (this.#trouble !== (error as Error).message) report(error);
          this.#trouble = (error as Error).message;
        }
        await pause(CHECK_PAUSE_MS);
      }
      if (losses !== this.#losses) return;
    }
    this.#isUp = true;
    this.#trouble = null;
    this.#up.resolve();
    changed?.(null);
    for (const listener of this.#listeners) listener();
  }
}

/** Reads the URL. It contains the user, as with other clients; this client wants the user separately. */
function parseUrl(text: string): NodeConnectionOptions & { readonly servers: string[] } {
  const servers: string[] = [];
  let options: NodeConnectionOptions = {};
  for (const part of text.split(',').map((each) => each.trim())) {
    const url = URL.parse(part.includes('://') ? part : `nats://${part}`);
    if (!url || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '') {
      throw new Error(
        "MILLRACE_NATS_URL has an address that can't be read. It must look like nats://host:4222, or several of these separated by commas.",
      );
    }
    servers.push(`${url.hostname}:${url.port || 4222}`);
    if (url.protocol === 'tls:') options = { ...options, tls: {} };
    const [user, pass] = [unescaped(url.username), unescaped(url.password)];
    if (user !== '') options = { ...options, ...(pass === '' ? { token: user } : { user, pass }) };
  }
  return { ...options, servers };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new Error(
      'MILLRACE_NATS_URL has a user or password with a "%" that escapes nothing. They must be URL-encoded: "%" is "%25" there.',
      { cause },
    );
  }
}

function connectError(error: unknown, servers: readonly string[]): Error {
  const where = servers.join(', ');
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError) {
    return new Error(
      `NATS at ${where} refuses this user (${error.message}). Put the right user and password into MILLRACE_NATS_URL: nats://user:password@host:4222.`,
      { cause: error },
    );
  }
  const { code = '' } = error as NodeJS.ErrnoException;
  if (refusesCertificate(code)) {
    return new Error(
      `The certificate of NATS at ${where} can't be trusted (${reasonOf(error)}). Name the host in MILLRACE_NATS_URL as the certificate does; ${PRIVATE_AUTHORITY}.`,
      { cause: error },
    );
  }
  return new Error(
    `No NATS server answers at ${where} (${reasonOf(error)}). Check MILLRACE_NATS_URL, and that nats-server runs there and can be reached from here.`,
    { cause: error },
  );
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const inner = cause instanceof Error ? cause.message : '';
  return inner === '' || message.includes(inner) ? message : `${message}: ${inner}`;
}
