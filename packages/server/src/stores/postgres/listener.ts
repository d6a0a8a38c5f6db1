import { systemClock } from '../../core/clock.ts';
import { pause, within } from '../../core/pause.ts';
import { openSession, type Session } from './database.ts';

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
  readonly #runs = new Set<Promise<void>>();
  #session: Session | null = null;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  /** The running check whether all notifications have arrived, and the check after it. */
  #asked: Promise<unknown> = Promise.resolve();
  #next: Promise<boolean> | null = null;
  #ranAt = performance.now();
  /** How often this process has stood still, and how often it had when it last caught up. */
  #stills = 0;
  #caughtUpStills = 0;
  readonly #running: NodeJS.Timeout;
  #closed = false;
  #failing = false;

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
    const hearing: Hearing = { heard, running: false, again: false };
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

  /** False after this process was frozen, until it has caught up: old notifications may still be on their way to it. */
  isCurrent(): boolean {
    this.#notice();
    return this.#stills === this.#caughtUpStills;
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
    if (!this.#session) return false;
    this.#notice();
    const stills = this.#stills;
    // The server sends earlier notifications on this connection before the answer.
    const heard = this.#session.query('SELECT 1').then(() => Promise.all(this.#runs));
    return within(
      CATCH_UP_MS,
      heard.then(
        () => {
          this.#caughtUpStills = stills;
          return true;
        },
        // The user of a lost connection reports that.
        () => false,
      ),
      () => false,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#running);
    // A running check ends with its connection. A connection that is being made exists after `#looking`.
    await this.#session?.close();
    await this.#looking;
    await this.#session?.close();
    await Promise.all(this.#runs);
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
      this.#failing = false;
      this.#later(CHECK_MS);
    } catch (error) {
      if (!this.#failing) this.#options.failed(error);
      this.#failing = true;
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
      if (hearing.running) continue;
      const run = this.#hear(channel, hearing).finally(() => this.#runs.delete(run));
      this.#runs.add(run);
    }
  }

  async #hear(channel: string, hearing: Hearing): Promise<void> {
    hearing.running = true;
    while (hearing.again && !this.#closed && this.#channels.get(channel)?.has(hearing)) {
      hearing.again = false;
      try {
        await hearing.heard();
      } catch (error) {
        this.#options.failed(error);
        hearing.again = true;
        await pause(PAUSE_MS, undefined, systemClock);
      }
    }
    hearing.running = false;
  }
}

interface Hearing {
  readonly heard: () => Promise<void>;
  running: boolean;
  again: boolean;
}
