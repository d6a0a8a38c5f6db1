import type { Clock } from '../../core/clock.ts';
import { SteadyClock } from '../../core/steady-clock.ts';
import { COMPRESSED } from '../../log/stream-index.ts';
import type { Database } from './database.ts';

export interface NodeOptions {
  readonly database: Database;
  /** How long a node without signs of life still counts as alive, milliseconds. */
  readonly lease: number;
  /** Called when a sign of life can't be written, once per outage. It is tried again. */
  readonly failed: (error: unknown) => void;
  /** Called when this machine's clock is found to be wrong: by how much, milliseconds; 0 if it is right again. */
  readonly skewed: (ms: number) => void;
}

/** A smaller difference between clocks is ignored: synchronised machines differ by milliseconds. */
const RIGHT_MS = 1_000;

/** Signs of life per lease. A few of them may be lost. */
const BEATS = 6;

/** Number of rows per lane in the counts: this many nodes can write them without waiting for each other. */
const SLOTS = 16;

/** How long a dead node is remembered, in PostgreSQL's notation. */
const REMEMBERED = '1 hour';

/**
 * This process as a node of the cluster: its number and its signs of life. Its claims are valid while it is seen, by the
 * database's clock. The clocks of nodes need not agree.
 */
export class Node {
  readonly id: number;
  /** Which of the counts' rows this node writes. */
  readonly slot: number;
  readonly #options: NodeOptions;
  readonly #timer: NodeJS.Timeout;
  /** A clock that ignores changes of the machine's clock between two looks at the database's clock. */
  readonly #machine = new SteadyClock({ follows: false });
  /** The last sign of life under way. */
  #beating: Promise<void> = Promise.resolve();
  #trouble: string | null = null;
  #living = 1;
  #layout = 1;
  /** How far the database's clock is ahead of this machine's, milliseconds; 0 if they agree. */
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
       INSERT INTO nodes (seen_at, layout) VALUES (now(), ${COMPRESSED}) RETURNING id`,
    );
    const node = new Node(row?.id ?? 0, options);
    await node.count();
    return node;
  }

  /** Why the last sign of life could not be written, in words; null if it was. A read-only database also counts as trouble. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** How many nodes live, this one included, as of its last sign of life. */
  get living(): number {
    return this.#living;
  }

  /** The highest layout of batches that all of them read, as of its last sign of life. */
  get layout(): number {
    return this.#layout;
  }

  /**
   * The given clock, corrected by the database's clock. So a time that one node plans is the same for all. A machine with a
   * wrong clock neither drops young events nor keeps old ones.
   */
  clockFrom(clock: Clock): Clock {
    return { now: () => clock.now() + this.#skew, after: (ms, run) => clock.after(ms, run) };
  }

  /** SQL that is true if a claim belongs to this node or to another living one. */
  isHeld(claimedBy: string): string {
    return `(${claimedBy} IS NOT NULL AND (${claimedBy} = ${this.id} OR EXISTS (SELECT FROM nodes held
      WHERE held.id = ${claimedBy} AND held.seen_at > now() - interval '${this.#options.lease} ms')))`;
  }

  /** Leaves the cluster. Its claims are free at once. */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    // A sign of life under way would add the node again.
    await this.#beating;
    try {
      await this.#options.database.query('DELETE FROM nodes WHERE id = $1', [this.id]);
    } catch (error) {
      // Its claims are free when the lease has ended.
      this.#options.failed(error);
    }
  }

  /** Asks the database how many nodes live, this one included. */
  async count(): Promise<number> {
    const { database, lease } = this.#options;
    const asked = this.#machine.now();
    const [row] = await database.query<{ living: number; layout: number | null; now: number }>(
      `SELECT count(*) AS living, min(layout) AS layout, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
       FROM nodes WHERE id = $1 OR seen_at > now() - interval '${lease} ms'`,
      [this.id],
    );
    if (!row) return this.#living;
    this.#living = Math.max(1, row.living);
    this.#layout = row.layout ?? COMPRESSED;
    this.#compare(row.now, asked, this.#machine.now());
    return this.#living;
  }

  /** Compares the clocks. The moment of the answer is uncertain by half the time that the query took. */
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
        'INSERT INTO nodes (id, seen_at, layout) VALUES ($1, now(), $2) ON CONFLICT (id) DO UPDATE SET seen_at = now()',
        [this.id, COMPRESSED],
      );
      await this.count();
      this.#trouble = null;
    } catch (error) {
      if (this.#trouble === null) this.#options.failed(error);
      this.#trouble = (error as Error).message;
    }
  }
}
