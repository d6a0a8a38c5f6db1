import { openSession, type Queries, type Session } from './database.ts';

export interface LeadershipOptions {
  readonly url: string;
  /** Called when work failed, or (once per outage) when the connection that holds the locks was lost. Both are tried again. */
  readonly failed: (error: unknown, name: string) => void;
  /** A leader that is silent for this long loses its locks, milliseconds. */
  readonly lease: number;
  /** Time between two attempts at a lock that another node has, and between two checks of our own locks, milliseconds; default 1 s. */
  readonly every?: number;
  /** Whether this node reaches the log. If not, it leaves work that needs the log to other nodes. Default: it does. */
  readonly isFit?: () => boolean;
}

/** Work that runs until its signal aborts. */
export type Work = (signal: AbortSignal) => Promise<void>;

/**
 * Work that one node does at a time. Advisory locks of a session of its own decide which node: if that node dies or is cut off,
 * its locks end with the session, and another node continues.
 *
 * A node that loses the database stops its work within the deadline of a statement. The server releases the node's locks when
 * it finds the connection dead, which takes longer (see SESSION in database.ts). The connection of a frozen process is not dead,
 * because its kernel answers for it: so the server ends a session that has asked nothing for `lease`.
 */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #wanted = new Map<string, Wanted>();
  /** Names whose locks this session holds. */
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
   * Runs `work` while this node leads under this name. If it ends or fails while the node still leads, it runs again. The
   * returned function ends that: it resolves when the work has ended and another node may lead.
   */
  lead(name: string, work: Work, { needsLog = true }: LeadOptions = {}): () => Promise<void> {
    const wanted: Wanted = { work, needsLog, run: null };
    this.#wanted.set(name, wanted);
    this.#later(0);
    return async () => {
      if (this.#wanted.get(name) === wanted) this.#wanted.delete(name);
      wanted.run?.abort.abort();
      // A round under way may just have taken the lock.
      await this.#round;
      wanted.run?.abort.abort();
      await wanted.run?.ended;
      if (!this.#held.delete(name)) return;
      await this.#session?.query(UNLOCK, [name]).catch((error: unknown) => this.#lost(error));
    };
  }

  /** Whether this node leads under this name. */
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

  /** Tries to take the locks that this node lacks, and checks that it still has the others. */
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
      // The next round runs it again under the same lock, unless the session was lost.
      wanted.run = null;
    })();
    return { abort, ended };
  }

  /** The locks end with the session, now or soon. So all work stops. */
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
  /** Whether the work needs the log. Default: yes. */
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
