import type { Database, Queries } from './database.ts';
import { lacksPartition } from './failure.ts';

/** A stretch of time, with the events received in it and their deliveries. begins ≤ received_at < ends */
export interface Partition {
  readonly number: number;
  readonly begins: number;
  readonly ends: number;
}

/** The tables that are partitioned; a partition is a table of each. */
export const PARTITIONED = ['events', 'deliveries', 'replaced_packs'] as const;

export const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('millrace partitions', 0))`;

/** The partitions: each is made when its first event comes. */
export class Partitions {
  readonly #database: Database;
  readonly #length: number;
  #known: readonly Partition[] = [];

  /** `length`: how much time one takes, milliseconds. */
  constructor(database: Database, length: number) {
    this.#database = database;
    this.#length = length;
  }

  /** All of them, oldest first. */
  async all(): Promise<readonly Partition[]> {
    this.#known = await this.#read(this.#database);
    return this.#known;
  }

  /** Sees to it that there is a partition for each of these times. */
  async ensure(times: Iterable<number>): Promise<void> {
    for (const time of times) {
      if (!this.#covers(time)) await this.#make(time);
    }
  }

  /** Runs a write of rows of these times, once there are partitions for them; again where another node dropped one meanwhile. */
  async write<T>(times: readonly number[], run: () => Promise<T>): Promise<T> {
    await this.ensure(times);
    try {
      return await run();
    } catch (error) {
      if (!lacksPartition(error)) throw error;
      this.#known = [];
      await this.ensure(times);
      return run();
    }
  }

  /**
   * Waits for all who use a partition, and keeps all others off for the rest of the caller's transaction. It is the whole
   * tables that are locked: all who come to a partition come through its table, and a DROP locks that too.
   */
  async hold(queries: Queries): Promise<void> {
    await queries.query(LOCK);
    await queries.query(
      `LOCK TABLE ${PARTITIONED.map((table) => `ONLY ${table}`).join(', ')} IN ACCESS EXCLUSIVE MODE`,
    );
  }

  /** Drops a partition inside the caller's transaction, which holds them. */
  async drop(queries: Queries, { number }: Partition): Promise<void> {
    await queries.query(`DROP TABLE IF EXISTS ${PARTITIONED.map((table) => `${table}_${number}`).join(', ')}`);
    await queries.query('DELETE FROM partitions WHERE number = $1', [number]);
  }

  #covers(time: number): boolean {
    return (this.#known.findLast(({ begins }) => begins <= time)?.ends ?? Number.NEGATIVE_INFINITY) > time;
  }

  /** Attaching a table, unlike making it as a partition, holds up neither reads nor writes. */
  async #make(time: number): Promise<void> {
    this.#known = await this.#database.transaction(async (queries) => {
      await queries.query(LOCK);
      const there = await this.#read(queries);
      if (there.some(({ begins, ends }) => begins <= time && time < ends)) return there;
      const even = Math.floor(time / this.#length) * this.#length;
      // Those made with another length may reach into this one.
      const begins = Math.max(even, ...there.map(({ ends }) => ends).filter((end) => end <= time));
      const ends = Math.min(even + this.#length, ...there.map((each) => each.begins).filter((begin) => begin > time));
      const [made] = await queries.query<Partition>(
        'INSERT INTO partitions (begins, ends) VALUES ($1, $2) RETURNING number, begins, ends',
        [begins, ends],
      );
      for (const table of PARTITIONED) {
        const partition = `${table}_${made?.number}`;
        await queries.query(`CREATE TABLE ${partition} (LIKE ${table})`);
        await queries.query(
          `ALTER TABLE ${table} ATTACH PARTITION ${partition} FOR VALUES FROM (${begins}) TO (${ends})`,
        );
      }
      return this.#read(queries);
    });
  }

  #read(queries: Queries): Promise<Partition[]> {
    return queries.query<Partition>('SELECT number, begins, ends FROM partitions ORDER BY begins');
  }
}
