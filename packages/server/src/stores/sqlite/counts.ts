import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Deliveries of one lane by state, and how many of them a replay took from before the lane's start. */
export interface Counts {
  processed: number;
  failed: number;
  filtered: number;
  retrying: number;
  backfilled: number;
}

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

export function countsSchema(table: 'counts' | 'dropped_counts'): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (
    lane INTEGER PRIMARY KEY, processed INTEGER NOT NULL, failed INTEGER NOT NULL, filtered INTEGER NOT NULL,
    retrying INTEGER NOT NULL, backfilled INTEGER NOT NULL);`;
}

/** A table of counts by lane, kept whole in memory. */
export class CountsTable {
  readonly byLane: Map<number, Counts> = new Map();
  readonly #save: StatementSync;

  constructor(db: DatabaseSync, table: 'counts' | 'dropped_counts') {
    db.exec(countsSchema(table));
    this.#save = db.prepare(
      `INSERT OR REPLACE INTO ${table} (lane, processed, failed, filtered, retrying, backfilled) VALUES (?, ?, ?, ?, ?, ?)`,
    );
    for (const row of db.prepare(`SELECT * FROM ${table}`).all()) {
      this.byLane.set(Number(row['lane']), {
        processed: Number(row['processed']),
        failed: Number(row['failed']),
        filtered: Number(row['filtered']),
        retrying: Number(row['retrying']),
        backfilled: Number(row['backfilled']),
      });
    }
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
