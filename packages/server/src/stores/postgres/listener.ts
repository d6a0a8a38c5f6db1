import { systemClock } from '../../core/clock.ts';
import { Fault } from '../../core/fault.ts';
import { pause, within } from '../../core/pause.ts';
import { openSession, type Session } from './database.ts';
import { isOfStandby } from './failure.ts';

export interface ListenerOptions {
  readonly url: string;
  /** Called when a connection was lost or could not be made, or when a listener failed. Each is tried again. */
  readonly failed: (error: unknown) => void;
}

/** From a lost connection to the next attempt, milliseconds. */
const PAUSE_MS = 500;

/** Longest that `caughtUp` waits, milliseconds. */
const CATCH_UP_MS = 1_000;

/** A process that was frozen for longer than this notices it, milliseconds. */
const STILL_MS = 1_000;

/** Time between two checks of the connection, milliseconds. */
const CHECK_MS = 5_000;

/**
 * Receives notifications of other nodes on a connection of its own. A broken connection is made again. Notifications are lost
 * meanwhile, so every listener is called once after each connection.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #channels = new Map<string, Set<Hearing>>();
  readonly #messages = new Map<string, (message: string) => void>();
  /** Calls under way. None of them rejects. */
  readonly #runs = new Map<Hearing, Promise<void>>();
  #session: Session | null = null;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  /** The running check whether all notifications have arrived, and the check after it. */
  #asked: Promise<unknown> = Promise.resolve();
  #next: Promise<boolean> | null = null;
  #ranAt = performance.now();
  /** How often this process has stood still, and how often it had when all notifications from before had last arrived. */
  #stills = 0;
  #arrivedStills = 0;
  /** Hearings that ran when those had arrived and have made no attempt since, each with that `#arrivedStills`. */
  readonly #behind = new Map<Hearing, number>();
  readonly #running: NodeJS.Timeout;
  #closed = false;
  /** Why the last attempt to connect, or check of the connection, failed; null if it succeeded. */
  #failure: unknown = null;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#running = setInterval(() => this.#notice(), STILL_MS / 4).unref();
  }

  /**
   * Calls `heard` after each notification of a channel and after each new connection. Notifications that arrive while it runs
   * cause one more call. If it rejects, it is called again. The returned function ends that.
   */
  listen(channel: string, heard: () => Promise<void>): () => void {
    const hearings = this.#channels.get(channel) ?? new Set();
    const hearing: Hearing = { heard, again: false };
    this.#channels.set(channel, hearings.add(hearing));
    const session = this.#session;
    if (session) this.#subscribe(session, channel).catch(() => this.#lost(session));
    else this.#look();
    return () => hearings.delete(hearing);
  }

  /** Passes on each message of a channel. Messages without a connection are lost. Call it once per channel. */
  onMessage(channel: string, heard: (message: string) => void): void {
    this.#messages.set(channel, heard);
    this.listen(channel, async () => undefined);
  }

  /**
   * False after this process was frozen, because old notifications may still be on their way to it. True again once a call of
   * `caughtUp` has received them, and each listener has been called since. A listener that rejects although the database answers
   * keeps what it knew, and counts as called.
   */
  isCurrent(): boolean {
    this.#notice();
    return this.#stills === this.#arrivedStills && this.#behind.size === 0;
  }

  /** Whether every notification sent before this call has been handled. Waits up to `CATCH_UP_MS` for that. */
  caughtUp(): Promise<boolean> {
    // Callers that come during a running check share the next one.
    this.#next ??= this.#asked.then(() => {
      this.#next = null;
      const asked = this.#ask();
      this.#asked = asked;
      return asked;
    });
    return this.#next;
  }

  async #ask(): Promise<boolean> {
    const isCurrent = this.isCurrent();
    const stills = this.#stills;
    const session = this.#session;
    // A standby refuses LISTEN, but can be read. All other listening needs a connection.
    if (!session && (isCurrent || !isOfStandby(this.#failure))) return false;
    const heard = this.#receive(session).then(() => {
      if (stills > this.#arrivedStills) {
        this.#arrivedStills = stills;
        for (const hearing of this.#runs.keys()) this.#behind.set(hearing, stills);
      }
      return Promise.all(this.#runs.values());
    });
    return within(
      CATCH_UP_MS,
      heard.then(
        () => session !== null,
        // The user of a lost connection reports that.
        () => false,
      ),
      () => false,
    );
  }

  /** Resolves when earlier notifications have arrived. Without a connection, calls every listener instead. */
  async #receive(session: Session | null): Promise<void> {
    // The server sends earlier notifications on this connection before the answer.
    if (session) await session.query('SELECT 1');
    else for (const channel of this.#channels.keys()) this.#tell(channel);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#running);
    // A running check ends with its connection. A connection that is being made exists after `#looking`.
    await this.#session?.close();
    await this.#looking;
    await this.#session?.close();
    await Promise.all(this.#runs.values());
  }

  #notice(): void {
    const now = performance.now();
    if (now - this.#ranAt > STILL_MS) this.#stills++;
    this.#ranAt = now;
  }

  #look(): void {
    this.#looking ??= this.#seeTo(this.#session).finally(() => {
      this.#looking = null;
    });
  }

  /** Connects, or checks the connection. Reports only the first of several failures in a row. */
  async #seeTo(session: Session | null): Promise<void> {
    try {
      await (session ? session.query('SELECT 1') : this.#connect());
      this.#failure = null;
      this.#later(CHECK_MS);
    } catch (error) {
      if (this.#failure === null) this.#options.failed(error);
      this.#failure = error;
      if (session) this.#lost(session);
      this.#later(PAUSE_MS);
    }
  }

  /** Sets the session once it listens to every channel. */
  async #connect(): Promise<void> {
    const session = await openSession(this.#options.url);
    session.client.on('notification', ({ channel, payload = '' }) => {
      this.#messages.get(channel)?.(payload);
      this.#tell(channel);
    });
    session.client.on('end', () => this.#lost(session));
    try {
      for (const channel of this.#channels.keys()) await this.#subscribe(session, channel);
    } catch (error) {
      void session.close();
      throw error;
    }
    this.#session = session;
  }

  /** LISTEN comes first, so that changes after the call of `#tell` are notified. */
  async #subscribe(session: Session, channel: string): Promise<void> {
    await session.query(`LISTEN ${channel}`);
    this.#tell(channel);
  }

  #lost(session: Session): void {
    if (this.#session !== session) return;
    void session.close();
    this.#session = null;
    this.#later(PAUSE_MS);
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#look(), ms);
    this.#timer.unref();
  }

  #tell(channel: string): void {
    for (const hearing of this.#channels.get(channel) ?? []) {
      hearing.again = true;
      if (!this.#runs.has(hearing)) this.#runs.set(hearing, this.#hear(channel, hearing));
    }
  }

  async #hear(channel: string, hearing: Hearing): Promise<void> {
    while (hearing.again && !this.#closed && this.#channels.get(channel)?.has(hearing)) {
      hearing.again = false;
      const behind = this.#behind.get(hearing);
      try {
        await hearing.heard();
        this.#attempted(hearing, behind);
      } catch (error) {
        this.#options.failed(error);
        // Where the database did not answer, a later attempt may hear more.
        if (!(error instanceof Fault)) this.#attempted(hearing, behind);
        hearing.again = true;
        await pause(PAUSE_MS, undefined, systemClock);
      }
    }
    this.#behind.delete(hearing);
    this.#runs.delete(hearing);
  }

  /** An attempt that began before the last notifications arrived does not count. */
  #attempted(hearing: Hearing, behind: number | undefined): void {
    if (this.#behind.get(hearing) === behind) this.#behind.delete(hearing);
  }
}

interface Hearing {
  readonly heard: () => Promise<void>;
  again: boolean;
}
