import type { Database, Queries } from './database.ts';
import { lacksPartition } from './failure.ts';

/** A stretch of time, with the events received in it and their deliveries: begins ≤ received_at < ends. */
export interface Partition {
  readonly number: number;
  readonly begins: number;
  readonly ends: number;
}

/** The partitioned tables. A partition is one table of each. */
export const PARTITIONED = ['events', 'deliveries', 'replaced_packs'] as const;

export const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('millrace partitions', 0))`;

/** The partitions. Each is made when its first event is written. */
export class Partitions {
  readonly #database: Database;
  readonly #length: number;
  #known: readonly Partition[] = [];

  /** `length` is the stretch of time of one partition, milliseconds. */
  constructor(database: Database, length: number) {
    this.#database = database;
    this.#length = length;
  }

  /** All partitions, oldest first. */
  async all(): Promise<readonly Partition[]> {
    this.#known = await this.#read(this.#database);
    return this.#known;
  }

  /** Makes the missing partitions for these times. */
  async ensure(times: Iterable<number>): Promise<void> {
    for (const time of times) {
      if (!this.#covers(time)) await this.#make(time);
    }
  }

  /** Runs a write of rows with these times, after making their partitions. Runs it again if another node dropped one meanwhile. */
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
   * Waits for all users of the partitioned tables, and keeps others off for the rest of the caller's transaction. It locks the
   * parent tables: every access to a partition goes through its parent, and a DROP locks the parent too.
   */
  async hold(queries: Queries): Promise<void> {
    await queries.query(LOCK);
    await queries.query(
      `LOCK TABLE ${PARTITIONED.map((table) => `ONLY ${table}`).join(', ')} IN ACCESS EXCLUSIVE MODE`,
    );
  }

  /** Drops a partition, inside a transaction that called `hold`. */
  async drop(queries: Queries, { number }: Partition): Promise<void> {
    await queries.query(`DROP TABLE IF EXISTS ${PARTITIONED.map((table) => `${table}_${number}`).join(', ')}`);
    await queries.query('DELETE FROM partitions WHERE number = $1', [number]);
  }

  #covers(time: number): boolean {
    return (this.#known.findLast(({ begins }) => begins <= time)?.ends ?? Number.NEGATIVE_INFINITY) > time;
  }

  /** A table that is made and then attached delays neither reads nor writes. One that is made as a partition does. */
  async #make(time: number): Promise<void> {
    this.#known = await this.#database.transaction(async (queries) => {
      await queries.query(LOCK);
      const there = await this.#read(queries);
      if (there.some(({ begins, ends }) => begins <= time && time < ends)) return there;
      const even = Math.floor(time / this.#length) * this.#length;
      // Partitions of another length may overlap this one.
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
