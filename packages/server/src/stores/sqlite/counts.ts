import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { rowsOf } from './statements.ts';

/** Deliveries of one lane by state. `backfilled` are the events from before the lane's start that a replay took. */
export type Counts = Record<(typeof COUNTED)[number], number>;

const COUNTED = ['processed', 'failed', 'filtered', 'retrying', 'backfilled'] as const;

type CountsName = 'counts' | 'dropped_counts';

export const noCounts = (): Counts => ({ processed: 0, failed: 0, filtered: 0, retrying: 0, backfilled: 0 });

export function sumCounts(a: Counts | undefined, b: Counts | undefined): Counts {
  const sum = noCounts();
  for (const name of COUNTED) sum[name] = (a?.[name] ?? 0) + (b?.[name] ?? 0);
  return sum;
}

export function countsSchema(table: CountsName): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (
    lane INTEGER PRIMARY KEY, ${COUNTED.map((name) => `${name} INTEGER NOT NULL`).join(', ')});`;
}

/** The counts of a table, by lane. */
export function countsIn(db: DatabaseSync, table: CountsName): Map<number, Counts> {
  const rows = rowsOf<Counts & { readonly lane: number }>(db, `SELECT * FROM ${table}`);
  return new Map(rows.map(({ lane, ...counts }) => [lane, counts]));
}

/** A table of counts by lane, completely in memory. */
export class CountsTable {
  readonly byLane: Map<number, Counts>;
  readonly #save: StatementSync;
  readonly #remove: StatementSync;

  constructor(db: DatabaseSync, table: CountsName) {
    db.exec(countsSchema(table));
    this.#save = db.prepare(`INSERT OR REPLACE INTO ${table} (lane, ${COUNTED.join(', ')}) VALUES (?, ?, ?, ?, ?, ?)`);
    this.#remove = db.prepare(`DELETE FROM ${table} WHERE lane = ?`);
    this.byLane = countsIn(db, table);
  }

  /** Adds `change` to the lane's stored counts, inside the caller's transaction. Call `apply` once the transaction is committed. */
  save(lane: number, change: Counts): void {
    const sum = sumCounts(this.byLane.get(lane), change);
    this.#save.run(lane, ...COUNTED.map((name) => sum[name]));
  }

  remove(lane: number): void {
    this.#remove.run(lane);
    this.byLane.delete(lane);
  }

  apply(lane: number, change: Counts): void {
    this.byLane.set(lane, sumCounts(this.byLane.get(lane), change));
  }
}
