import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { rowsOf } from './statements.ts';

/** Deliveries of one lane by state, and how many of them a replay took from before the lane's start. */
export interface Counts {
  processed: number;
  failed: number;
  filtered: number;
  retrying: number;
  backfilled: number;
}

type CountsName = 'counts' | 'dropped_counts';

export const noCounts = (): Counts => ({ processed: 0, failed: 0, filtered: 0, retrying: 0, backfilled: 0 });

export function sumCounts(a: Counts | undefined, b: Counts | undefined): Counts {
  const sum = noCounts();
  for (const each of [a, b]) {
    if (!each) continue;
    sum.processed += each.processed;
    sum.failed += each.failed;
    sum.filtered += each.filtered;
    sum.retrying += each.retrying;
    sum.backfilled += each.backfilled;
  }
  return sum;
}

export function countsSchema(table: CountsName): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (
    lane INTEGER PRIMARY KEY, processed INTEGER NOT NULL, failed INTEGER NOT NULL, filtered INTEGER NOT NULL,
    retrying INTEGER NOT NULL, backfilled INTEGER NOT NULL);`;
}

/** The counts of a table, by lane. */
export function countsIn(db: DatabaseSync, table: CountsName): Map<number, Counts> {
  const rows = rowsOf<Counts & { readonly lane: number }>(db, `SELECT * FROM ${table}`);
  return new Map(rows.map(({ lane, ...counts }) => [lane, counts]));
}

/** A table of counts by lane, kept whole in memory. */
export class CountsTable {
  readonly byLane: Map<number, Counts>;
  readonly #save: StatementSync;

  constructor(db: DatabaseSync, table: CountsName) {
    db.exec(countsSchema(table));
    this.#save = db.prepare(
      `INSERT OR REPLACE INTO ${table} (lane, processed, failed, filtered, retrying, backfilled) VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.byLane = countsIn(db, table);
  }

  /** Writes the lane's counts plus `change` inside the caller's transaction; memory follows by `apply` once that holds. */
  save(lane: number, change: Counts): void {
    const sum = sumCounts(this.byLane.get(lane), change);
    this.#save.run(lane, sum.processed, sum.failed, sum.filtered, sum.retrying, sum.backfilled);
  }

  apply(lane: number, change: Counts): void {
    this.byLane.set(lane, sumCounts(this.byLane.get(lane), change));
  }
}
