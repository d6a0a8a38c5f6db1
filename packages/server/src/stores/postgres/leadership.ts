import { openSession, type Queries, type Session } from './database.ts';

export interface LeadershipOptions {
  readonly url: string;
  /** Work failed, or (once each time) the connection that the locks live on; it is tried again. */
  readonly failed: (error: unknown, name: string) => void;
  /** How long a leader may be silent until its locks are free, milliseconds. */
  readonly lease: number;
  /** How often a lock that another node has is tried, and a lock of our own is looked after, milliseconds; default 1 s. */
  readonly every?: number;
  /** Whether this node reaches the log; while it doesn't, it leaves what needs the log to the others. Default: it does. */
  readonly isFit?: () => boolean;
}

/** Work that goes on until its signal aborts. */
export type Work = (signal: AbortSignal) => Promise<void>;

/**
 * Work that one node does at a time, held by locks of a session of its own: when the node dies, or is cut off, they die with
 * it, and another one goes on.
 *
 * A node that loses the database stops its work within the deadline of a statement; the server lets go of its
 * locks when it finds the connection dead, which takes longer (see SESSION in database.ts). The connection of a process that
 * stands still is not dead, because its kernel answers for it: the server ends a session that has asked nothing for the lease.
 */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #wanted = new Map<string, Wanted>();
  /** Names whose locks the session has. */
  readonly #held = new Set<string>();
  #session: Session | null = null;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #closed = false;
  #failing = false;

  constructor(options: LeadershipOptions) {
    this.#options = options;
    this.#later(0);
  }

  /**
   * Runs `work` whenever this node leads under that name; again when it ends or fails, while it still leads. The answer ends
   * that: it resolves when the work has ended and another node may go on.
   */
  lead(name: string, work: Work, { needsLog = true }: LeadOptions = {}): () => Promise<void> {
    const wanted: Wanted = { work, needsLog, run: null };
    this.#wanted.set(name, wanted);
    this.#later(0);
    return async () => {
      if (this.#wanted.get(name) === wanted) this.#wanted.delete(name);
      wanted.run?.abort.abort();
      // A look that is under way may just have taken the lock.
      await this.#round;
      wanted.run?.abort.abort();
      await wanted.run?.ended;
      if (!this.#held.delete(name)) return;
      await this.#session?.query(UNLOCK, [name]).catch((error: unknown) => this.#lost(error));
    };
  }

  /** Whether this node leads under that name. */
  leads(name: string): boolean {
    return this.#wanted.get(name)?.run?.abort.signal.aborted === false;
  }

  /** Whether another node leads under that name. */
  async isLedElsewhere(name: string, queries: Queries): Promise<boolean> {
    const [row] = await queries.query<{ led: boolean }>(LED, [name]);
    return row?.led === true && !this.#held.has(name);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#round;
    this.#abort();
    await Promise.all([...this.#wanted.values()].map(({ run }) => run?.ended));
    await this.#session?.close();
    this.#session = null;
  }

  /** Tries what is not ours, and finds out whether what is ours still is. */
  async #look(): Promise<void> {
    if (this.#wanted.size === 0 && !this.#session) return;
    try {
      this.#session ??= await this.#connect();
      const session = this.#session;
      await session.query('SELECT 1');
      this.#failing = false;
      const { isFit = () => true } = this.#options;
      for (const [name, wanted] of this.#wanted) {
        if (this.#session !== session) return;
        if (wanted.needsLog && !isFit()) {
          wanted.run?.abort.abort();
          if (!wanted.run && this.#held.delete(name)) await session.query(UNLOCK, [name]);
          continue;
        }
        if (wanted.run) continue;
        if (!this.#held.has(name)) {
          const [row] = await session.query<{ locked: boolean }>(LOCK, [name]);
          if (!row?.locked || this.#session !== session) continue;
          this.#held.add(name);
        }
        wanted.run = this.#run(name, wanted);
      }
    } catch (error) {
      this.#lost(error);
    }
  }

  async #connect(): Promise<Session> {
    const session = await openSession(this.#options.url);
    await session.query(END_WHEN_SILENT, [`${this.#options.lease}`]);
    session.client.on('end', () => {
      if (this.#session === session) this.#lost(new Error('The connection that holds the locks has ended.'));
    });
    return session;
  }

  #run(name: string, wanted: Wanted): Run {
    const abort = new AbortController();
    const ended = (async () => {
      try {
        await wanted.work(abort.signal);
      } catch (error) {
        if (!abort.signal.aborted) this.#options.failed(error, name);
      }
      // What is tried again finds the lock still ours, unless the session was lost.
      wanted.run = null;
    })();
    return { abort, ended };
  }

  /** The locks are gone with the session, or will be: all that was led stops. */
  #lost(error: unknown): void {
    const session = this.#session;
    this.#session = null;
    this.#held.clear();
    void session?.close();
    this.#abort();
    if (!this.#closed && !this.#failing) this.#options.failed(error, 'leadership');
    this.#failing = true;
  }

  #abort(): void {
    for (const { run } of this.#wanted.values()) run?.abort.abort();
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#round.then(() => this.#look()).then(() => this.#later(this.#options.every ?? 1_000));
    }, ms);
    this.#timer.unref();
  }
}

export interface LeadOptions {
  /** Whether it needs the log. Default: yes. */
  readonly needsLog?: boolean;
}

interface Wanted extends Required<LeadOptions> {
  readonly work: Work;
  run: Run | null;
}

interface Run {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** PostgreSQL 13 has no such setting: there a leader is replaced when its connection ends. */
const END_WHEN_SILENT = `SELECT set_config('idle_session_timeout', $1, false)
  WHERE current_setting('idle_session_timeout', true) IS NOT NULL`;

const LOCK = `SELECT pg_try_advisory_lock(hashtextextended('millrace leads ' || $1::text, 0)) AS locked`;

const UNLOCK = `SELECT pg_advisory_unlock(hashtextextended('millrace leads ' || $1::text, 0))`;

/** A lock that is shared, and gone with the statement: it is in no way of those who look too. */
const LED = `SELECT NOT pg_try_advisory_xact_lock_shared(hashtextextended('millrace leads ' || $1::text, 0)) AS led`;
