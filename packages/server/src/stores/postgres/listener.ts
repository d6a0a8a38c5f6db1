import { systemClock } from '../../core/clock.ts';
import { pause, within } from '../../core/pause.ts';
import { openSession, type Session } from './database.ts';

export interface ListenerOptions {
  readonly url: string;
  /** A connection was lost or could not be made, or who heard failed; it is tried again. */
  readonly failed: (error: unknown) => void;
}

/** From a lost connection to the next try, milliseconds. */
const PAUSE_MS = 500;

/** Longest that `caughtUp` waits, milliseconds. */
const CATCH_UP_MS = 1_000;

/** A process that stood still for longer knows that it did, milliseconds. */
const STILL_MS = 1_000;

/** How often a connection is asked whether it still is one, milliseconds. */
const CHECK_MS = 5_000;

/**
 * Hears what other nodes tell, on a connection of its own that is made again when it breaks. What was told meanwhile is
 * lost, so each channel is called once whenever a connection stands.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #channels = new Map<string, Set<Hearing>>();
  readonly #messages = new Map<string, (message: string) => void>();
  /** What is being called; none of it rejects. */
  readonly #runs = new Set<Promise<void>>();
  #session: Session | null = null;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  /** The question under way whether all news were heard, and the one that follows it. */
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
   * Calls `heard` after each message, and after a connection was made; once for those that come while it runs, and again
   * while it rejects. The answer ends that.
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

  /** Hands on each message of a channel; one that is told while there is no connection is lost. Called once for a channel. */
  onMessage(channel: string, heard: (message: string) => void): void {
    this.#messages.set(channel, heard);
    this.listen(channel, async () => undefined);
  }

  /** False after this process stood still, until it has caught up: it may be about to hear what was told long ago. */
  isCurrent(): boolean {
    this.#notice();
    return this.#stills === this.#caughtUpStills;
  }

  /** Whether what was told before this call has been heard by now; it is waited for a while. */
  caughtUp(): Promise<boolean> {
    // Those who ask while one question is under way share the next.
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
    // The server sends what was told before on this connection before it answers.
    const heard = this.#session.query('SELECT 1').then(() => Promise.all(this.#runs));
    return within(
      CATCH_UP_MS,
      heard.then(
        () => {
          this.#caughtUpStills = stills;
          return true;
        },
        // A connection that is lost is told of by who uses it.
        () => false,
      ),
      () => false,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#running);
    // A question that is under way ends with its connection; one that is being made is there afterwards.
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

  /** Makes a connection where there is none, or asks whether it still is one. What fails is told once, however often the next fails too. */
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

  /** Until it listens to every channel, a session is none to hear by. */
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

  /** Listening comes first: what changes after the call that follows it is told. */
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
