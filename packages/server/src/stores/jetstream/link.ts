import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, errors, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { pause, within } from '../../core/pause.ts';
import { isPassing } from './failure.ts';

export interface LinkOptions {
  /** `nats://[user:password@]host:port`, or `tls://…`; several are separated by commas. */
  readonly url: string;
  /** How the servers' monitoring calls this client. */
  readonly name: string;
  /** Is told of what the servers refuse beside an answer: permissions, mostly. */
  readonly report: (error: unknown) => void;
  /** Is told when the connection was lost, and when there is one again. */
  readonly changed?: (isUp: boolean) => void;
}

const CONNECT_MS = 5_000;
/** A link that is silent this long is asked for a sign of life; two that are missing end it. */
const PING_MS = 4_000;
const RECONNECT_MS = 250;
const CHECK_PAUSE_MS = 500;
/** An answer of JetStream's that takes longer will not come. */
const REQUEST_MS = 5_000;

/** The connection to NATS, which is made again as often as it breaks. */
export class Link {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly #listeners = new Set<() => void>();
  #trouble: string | null = null;
  /** Pending while the link is down. */
  #up: PromiseWithResolvers<void> = Promise.withResolvers();
  #isUp = true;
  /** How often it was lost, and after which of these times it was found again. */
  #losses = 0;
  #found = 0;
  #check: () => Promise<void> = () => Promise.resolve();

  private constructor(nc: NatsConnection, jsm: JetStreamManager, options: LinkOptions) {
    this.nc = nc;
    this.js = jetstream(nc, { timeout: REQUEST_MS });
    this.jsm = jsm;
    this.#up.resolve();
    void this.#watch(options);
  }

  /** @throws Error that says which address did not answer, or refused, and what to look at. */
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
        // A user that is refused for a moment (servers that reload) is no reason to give up for good.
        ignoreAuthErrorAbort: true,
        noAsyncTraces: true,
      });
    } catch (error) {
      throw connectError(error, options.servers);
    }
    return new Link(nc, await jetstreamManager(nc, { checkAPI: false, timeout: REQUEST_MS }), link);
  }

  /** Whether there is a connection, as far as is known. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Most bytes that the servers take in one message. */
  get maxPayload(): number {
    return this.nc.info?.max_payload ?? 1024 * 1024;
  }

  /** Why nothing can be asked of NATS, in words; null when it can. */
  get trouble(): string | null {
    return this.#isUp ? null : (this.#trouble ?? "NATS can't be reached; trying again");
  }

  /** Resolves when there is a connection. */
  up(): Promise<void> {
    return this.#up.promise;
  }

  /** From now on a connection that comes back is not one that is up before this has succeeded; it is tried again until then. */
  checkReturns(check: () => Promise<void>): void {
    this.#check = check;
  }

  /** Calls the listener after each time the connection came back: what was asked for before was asked in vain. */
  onReturn(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Sends off what was written, if there is a connection, and ends. */
  async close(): Promise<void> {
    if (this.#isUp && !this.nc.isClosed()) {
      // What can't be sent is sent again by those who go on; it is not waited for here.
      await within(
        2_000,
        this.nc.flush().catch(() => undefined),
        () => undefined,
      );
    }
    await this.nc.close();
  }

  async #watch(options: LinkOptions): Promise<void> {
    for await (const status of this.nc.status()) {
      if (status.type === 'disconnect') {
        this.#losses++;
        if (!this.#isUp) continue;
        this.#isUp = false;
        this.#up = Promise.withResolvers();
        options.changed?.(false);
      } else if (status.type === 'reconnect') {
        // Said once for each attempt that was refused before.
        if (this.#found === this.#losses) continue;
        this.#found = this.#losses;
        void this.#return(options);
      } else if (status.type === 'error') {
        options.report(status.error);
      }
    }
    // Closed: a caller that still waits finds out when it tries.
    this.#losses++;
    this.#isUp = false;
    this.#up.resolve();
  }

  async #return({ report, changed }: LinkOptions): Promise<void> {
    const losses = this.#losses;
    for (let checked = false; !checked; ) {
      try {
        await this.#check();
        checked = true;
      } catch (error) {
        // Servers that have just been started know nothing yet.
        if (losses === this.#losses && !isPassing(error)) {
          // The same is said once.
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
    changed?.(true);
    for (const listener of this.#listeners) listener();
  }
}

/** The user is in the URL, as in every other client; this client wants it beside the addresses. */
function parseUrl(text: string): NodeConnectionOptions & { readonly servers: string[] } {
  const servers: string[] = [];
  let options: NodeConnectionOptions = {};
  for (const part of text.split(',').map((each) => each.trim())) {
    const url = URL.parse(part.includes('://') ? part : `nats://${part}`);
    if (!url || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '') {
      throw new Error(
        `MILLRACE_NATS_URL has an address that can't be read (${redacted(part)}). It must look like nats://host:4222, or several of these separated by commas.`,
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

function redacted(part: string): string {
  return part.replace(/\/\/[^@]*@/, '//****@');
}

function connectError(error: unknown, servers: readonly string[]): Error {
  const where = servers.join(', ');
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError) {
    return new Error(
      `NATS at ${where} refuses this user (${error.message}). Put the right user and password into MILLRACE_NATS_URL: nats://user:password@host:4222.`,
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
