import pLimit from 'p-limit';
import { systemClock } from '../../core/clock.ts';
import { CURRENT_MS } from '../../core/current.ts';
import { Fault } from '../../core/fault.ts';
import { pause, within } from '../../core/pause.ts';
import { sharedRun } from '../../core/shared-run.ts';
import { openSession, type Session } from './database.ts';

export interface ListenerOptions {
  readonly url: string;
  /** Called when a connection was lost or could not be made, or when a listener failed, once for several failures in a row. Each is tried again. */
  readonly failed: (error: unknown) => void;
}

/** After a listener failed, the time until it is called again, milliseconds. */
const PAUSE_MS = 500;

/** Longest that `caughtUp` waits, milliseconds. */
const CATCH_UP_MS = 1_000;

/** Time between two checks of the connection, or two attempts to connect, milliseconds. */
const CHECK_MS = 500;

/** Longest wait for the connection's answer to a check, milliseconds. */
const ANSWER_MS = 500;

/** After so many checks in a row without an answer, that is reported. A busy machine may miss a few. */
const MOST_UNANSWERED = 10;

/**
 * Receives notifications of other nodes on a connection of its own. A broken connection is made again. Notifications are lost
 * meanwhile, so every listener is called once after each connection, and while the connection does not answer, at each check.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #channels = new Map<string, Set<Hearing>>();
  readonly #messages = new Map<string, MessageListener>();
  /** Calls under way. None of them rejects. */
  readonly #runs = new Map<Hearing, Promise<void>>();
  #session: Session | null = null;
  #connecting: Promise<void> | null = null;
  /** Checks whether earlier notifications have arrived. */
  readonly #arrived = sharedRun(pLimit(1), () => this.#ask());
  /** All notifications from before this time have arrived, or all listeners were called instead. Times are of `performance.now()`. */
  #arrivedAt = Number.NEGATIVE_INFINITY;
  /** All messages from before this time have arrived. */
  #heardAt = Number.NEGATIVE_INFINITY;
  /** Hearings that have not yet handled a notification, and until when they know what has changed. */
  readonly #behind = new Map<Hearing, number>();
  /** What was changed before this time every hearing must know: a second before the first answer after silence or a frozen process. */
  #neededAt = Number.NEGATIVE_INFINITY;
  /** How many checks of the connection in a row got no answer. */
  #unanswered = 0;
  readonly #checks: NodeJS.Timeout;
  #closed = false;
  /** Why the connection was lost, could not be made or leaves checks unanswered; null after an answer. */
  #failure: unknown = null;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#checks = setInterval(() => {
      if (!this.#session) this.#connect();
      void this.#arrived();
    }, CHECK_MS).unref();
  }

  /**
   * Calls `heard` after each notification of a channel and after each new connection. Notifications that arrive while it runs
   * cause one more call. If it rejects, it is called again. The returned function ends that.
   */
  listen(channel: string, heard: () => Promise<void>): () => void {
    const hearings = this.#channels.get(channel) ?? new Set();
    const hearing: Hearing = { heard, toldAt: null, isUnanswered: false };
    this.#channels.set(channel, hearings.add(hearing));
    this.#behind.set(hearing, Number.NEGATIVE_INFINITY);
    const session = this.#session;
    if (session) this.#subscribe(session, channel).catch((error: unknown) => this.#lost(session, error));
    else this.#connect();
    return () => {
      hearings.delete(hearing);
      hearing.toldAt = null;
      this.#behind.delete(hearing);
    };
  }

  /** Passes on each message of a channel. Messages without a connection are lost. Call it once per channel. */
  onMessage(channel: string, listener: MessageListener): void {
    this.#messages.set(channel, listener);
    this.listen(channel, async () => undefined);
  }

  /**
   * Whether this process knows everything that was changed until a second ago. While the connection and the database answer, a
   * listener may take longer over a notification, but not over what it was called for while they did not, or before this process
   * was frozen. A listener that rejects although the database answers keeps what it knew, and counts as called.
   */
  isCurrent(): boolean {
    const since = performance.now() - CURRENT_MS;
    if (this.#arrivedAt < since) return false;
    for (const [{ isUnanswered }, knownAt] of this.#behind) {
      if (knownAt < (isUnanswered || this.#isSilent ? since : this.#neededAt)) return false;
    }
    return true;
  }

  /** Whether all messages that were sent until a second ago have arrived, but those before the last `missed`. */
  hears(): boolean {
    return performance.now() - this.#heardAt <= CURRENT_MS;
  }

  /**
   * Whether every notification sent before this call has been handled. Waits up to `CATCH_UP_MS` for that. False without a
   * connection, but then every listener was called, if the database answers: `isCurrent` tells.
   */
  caughtUp(): Promise<boolean> {
    const heard = this.#arrived().then(async (hasAnswered) => {
      await Promise.all(this.#runs.values());
      return hasAnswered;
    });
    return within(CATCH_UP_MS, heard, () => false);
  }

  /** Why notifications do not arrive in time, or what they told of is not known, in words; null if all is well. */
  trouble(): string | null {
    if (this.#failure !== null) {
      return `PostgreSQL does not notify this node of changes: ${(this.#failure as Error).message}`;
    }
    return this.isCurrent() ? null : 'PostgreSQL does not say in time what other nodes have changed';
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#checks);
    // A running check ends with its connection. A connection that is being made exists after `#connecting`.
    await this.#session?.close();
    await this.#connecting;
    await this.#session?.close();
    await Promise.all(this.#runs.values());
  }

  /** Answers whether the connection answers. If not, calls every listener instead. */
  async #ask(): Promise<boolean> {
    const askedAt = performance.now();
    const session = this.#session;
    // After a check without an answer, this one does not wait for one before it calls them.
    const wasSilent = this.#isSilent;
    if (wasSilent) this.#tellAll(askedAt);
    const hasAnswered = session !== null && (await within(ANSWER_MS, this.#answers(session), () => false));
    if (hasAnswered) this.#answered(askedAt, wasSilent);
    else if (!wasSilent) this.#tellAll(askedAt);
    if (session !== null && !hasAnswered && ++this.#unanswered >= MOST_UNANSWERED) {
      this.#failed(new Error(`an answer takes over ${ANSWER_MS} ms`));
    }
    return hasAnswered;
  }

  #answered(askedAt: number, wasSilent: boolean): void {
    const since = performance.now() - CURRENT_MS;
    if (wasSilent || this.#arrivedAt < since) this.#neededAt = askedAt - CURRENT_MS;
    this.#heardAt = this.#arrivedAt = askedAt;
    this.#unanswered = 0;
    this.#failure = null;
  }

  /** Whether the last check got no answer. */
  get #isSilent(): boolean {
    return this.#heardAt < this.#arrivedAt;
  }

  #tellAll(askedAt: number): void {
    for (const channel of this.#channels.keys()) this.#tell(channel);
    this.#arrivedAt = askedAt;
  }

  /** The server sends earlier notifications on this connection before the answer. */
  async #answers(session: Session): Promise<boolean> {
    try {
      await session.query('SELECT 1');
      return true;
    } catch (error) {
      this.#lost(session, error);
      return false;
    }
  }

  #connect(): void {
    if (this.#closed) return;
    this.#connecting ??= this.#open()
      .then(
        () => void this.#arrived(),
        (error: unknown) => this.#failed(error),
      )
      .finally(() => {
        this.#connecting = null;
      });
  }

  /** Sets the session once it listens to every channel. */
  async #open(): Promise<void> {
    const session = await openSession(this.#options.url);
    session.client.on('notification', ({ channel, payload = '' }) => {
      this.#messages.get(channel)?.heard(payload);
      this.#tell(channel);
    });
    session.client.on('end', () => this.#lost(session, new Error('the connection ended')));
    try {
      for (const channel of this.#channels.keys()) await this.#subscribe(session, channel);
    } catch (error) {
      void session.close();
      throw error;
    }
    this.#session = session;
    for (const { missed } of this.#messages.values()) missed();
  }

  /** LISTEN comes first, so that changes after the call of `#tell` are notified. */
  async #subscribe(session: Session, channel: string): Promise<void> {
    await session.query(`LISTEN ${channel}`);
    this.#tell(channel);
  }

  #lost(session: Session, error: unknown): void {
    if (this.#session !== session) return;
    this.#session = null;
    void session.close();
    if (!this.#closed) this.#failed(error);
  }

  /** Reports only the first of several failures in a row. */
  #failed(error: unknown): void {
    if (this.#failure === null) this.#options.failed(error);
    this.#failure = error;
  }

  #tell(channel: string): void {
    for (const hearing of this.#channels.get(channel) ?? []) {
      hearing.toldAt ??= this.#arrivedAt;
      if (!this.#behind.has(hearing)) this.#behind.set(hearing, hearing.toldAt);
      if (!this.#runs.has(hearing)) this.#runs.set(hearing, this.#hear(channel, hearing));
    }
  }

  async #hear(channel: string, hearing: Hearing): Promise<void> {
    let hasFailed = false;
    while ((hearing.toldAt !== null || hasFailed) && !this.#closed && this.#channels.get(channel)?.has(hearing)) {
      hearing.toldAt = null;
      const begunAt = performance.now();
      try {
        await hearing.heard();
        hasFailed = hearing.isUnanswered = false;
        this.#attempted(hearing, begunAt);
      } catch (error) {
        if (!hasFailed) this.#options.failed(error);
        hasFailed = true;
        hearing.isUnanswered = error instanceof Fault;
        // Where the database did not answer, a later attempt may hear more.
        if (!hearing.isUnanswered) this.#attempted(hearing, begunAt);
        await pause(PAUSE_MS, undefined, systemClock);
      }
    }
    this.#runs.delete(hearing);
  }

  /** It has handled what it was told before this attempt, and read all that was changed before it. */
  #attempted(hearing: Hearing, begunAt: number): void {
    if (hearing.toldAt === null) this.#behind.delete(hearing);
    else this.#behind.set(hearing, Math.max(begunAt, hearing.toldAt));
  }
}

export interface MessageListener {
  heard(message: string): void;
  /** There is a new connection: messages may have been lost before it. */
  missed(): void;
}

interface Hearing {
  readonly heard: () => Promise<void>;
  /** `#arrivedAt` when it was told of something that no attempt has begun after; null if there is nothing. */
  toldAt: number | null;
  /** Whether the database did not answer its last attempt. */
  isUnanswered: boolean;
}
