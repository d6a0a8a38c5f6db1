import type { Clock } from '../../core/clock.ts';
import { SteadyClock } from '../../core/steady-clock.ts';
import type { Database } from './database.ts';

export interface NodeOptions {
  readonly database: Database;
  /** How long a node that is not seen still counts as alive, milliseconds. */
  readonly lease: number;
  /** Told once when it can no longer be noted that this node lives; it is tried again. */
  readonly failed: (error: unknown) => void;
  /** Is told when this machine's clock is found to be off, by how much (milliseconds; 0: it is right again). */
  readonly skewed: (ms: number) => void;
}

/** Clocks that differ by less are right: machines whose clocks are kept differ by milliseconds. */
const RIGHT_MS = 1_000;

/** Signs of life that fit in a lease: a few may be lost. */
const BEATS = 6;

/** Rows of a lane's counts: so many nodes write them without waiting for each other. */
const SLOTS = 16;

/** How long a node that is gone is remembered, as PostgreSQL writes it. */
const REMEMBERED = '1 hour';

/**
 * This process among the nodes: a number of its own, and signs of life. What a node has claimed is its own for as long as
 * it is seen, by the database's clock; those of the nodes need not agree.
 */
export class Node {
  readonly id: number;
  /** Which rows of the counts it writes. */
  readonly slot: number;
  readonly #options: NodeOptions;
  readonly #timer: NodeJS.Timeout;
  /** Between two looks at the database's clock, a machine's that is set makes no difference. */
  readonly #machine = new SteadyClock({ follows: false });
  /** The last sign of life. */
  #beating: Promise<void> = Promise.resolve();
  #trouble: string | null = null;
  #living = 1;
  /** How far the database's clock is ahead of this machine's, milliseconds; 0 where both are right. */
  #skew = 0;

  private constructor(id: number, options: NodeOptions) {
    this.id = id;
    this.slot = id % SLOTS;
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#beating = this.#beat();
    }, options.lease / BEATS);
    this.#timer.unref();
  }

  static async join(options: NodeOptions): Promise<Node> {
    const [row] = await options.database.query<{ id: number }>(
      `WITH gone AS (DELETE FROM nodes WHERE seen_at < now() - interval '${REMEMBERED}')
       INSERT INTO nodes (seen_at) VALUES (now()) RETURNING id`,
    );
    const node = new Node(row?.id ?? 0, options);
    await node.#count();
    return node;
  }

  /** Why the last sign of life could not be written, in words; null when it could. A database that only reads has none. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Nodes that live, this one among them, as of its last sign of life. */
  get living(): number {
    return this.#living;
  }

  /**
   * The clock, set right by that of the database, so that what nodes plan for each other is due at one time for all of them, and
   * a machine whose clock is off neither drops what is young nor keeps what is due.
   */
  clockFrom(clock: Clock): Clock {
    return { now: () => clock.now() + this.#skew, after: (ms, run) => clock.after(ms, run) };
  }

  /** SQL that holds where a claim is this node's or that of another one that lives. */
  isHeld(claimedBy: string): string {
    return `(${claimedBy} IS NOT NULL AND (${claimedBy} = ${this.id} OR EXISTS (SELECT FROM nodes held
      WHERE held.id = ${claimedBy} AND held.seen_at > now() - interval '${this.#options.lease} ms')))`;
  }

  /** Its claims are free at once. */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    // It would come after the end.
    await this.#beating;
    try {
      await this.#options.database.query('DELETE FROM nodes WHERE id = $1', [this.id]);
    } catch (error) {
      // They are free when the lease has ended.
      this.#options.failed(error);
    }
  }

  async #count(): Promise<void> {
    const { database, lease } = this.#options;
    const asked = this.#machine.now();
    const [row] = await database.query<{ living: number; now: number }>(
      `SELECT count(*) AS living, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
       FROM nodes WHERE id = $1 OR seen_at > now() - interval '${lease} ms'`,
      [this.id],
    );
    if (!row) return;
    this.#living = Math.max(1, row.living);
    this.#compare(row.now, asked, this.#machine.now());
  }

  /** Half of what the question took is not known. */
  #compare(theirs: number, asked: number, answered: number): void {
    const off = Math.round(theirs - (asked + answered) / 2);
    const tolerance = RIGHT_MS + Math.abs(answered - asked) / 2;
    if (Math.abs(off - this.#skew) < tolerance) return;
    this.#skew = Math.abs(off) < RIGHT_MS ? 0 : off;
    this.#options.skewed(this.#skew);
  }

  async #beat(): Promise<void> {
    try {
      await this.#options.database.query(
        'INSERT INTO nodes (id, seen_at) VALUES ($1, now()) ON CONFLICT (id) DO UPDATE SET seen_at = now()',
        [this.id],
      );
      await this.#count();
      this.#trouble = null;
    } catch (error) {
      if (this.#trouble === null) this.#options.failed(error);
      this.#trouble = (error as Error).message;
    }
  }
}
