import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { addTallies, type Tally, talliesIn } from '../../core/tally.ts';
import type { LastTimes, StatsQuery, StatsSums } from '../../record/contract.ts';
import { STEPS, unpackCounts } from './stats-table.ts';

const RANGE = `SELECT at, accepted, rejected, processed, failed, filtered, retried, latency, attempts FROM stats
  WHERE subject = ? AND step = ? AND at >= ? AND at < ?`;

/** Reads of statistics; every one is of ranges of the table's key. */
export class StatsReader {
  readonly #db: DatabaseSync;
  readonly #number: (name: string) => number | null;

  /** `number` knows the number of a name. */
  constructor(db: DatabaseSync, number: (name: string) => number | null) {
    this.#db = db;
    this.#number = number;
  }

  /** See StatsStore.series. */
  series({ subjects, from, to, step }: StatsQuery): StatsSums[] {
    const sums = new Map<number, Sums>();
    const read = this.#db.prepare(RANGE);
    const stored = longestStep(from, step);
    for (const subject of subjects) {
      for (const row of read.iterate(this.#number(subject), stored, from, to)) {
        const at = from + Math.floor((Number(row['at']) - from) / step) * step;
        addTo(sums, at, at, row);
      }
    }
    return [...sums.values()].sort((a, b) => a.at - b.at);
  }

  /** See StatsStore.totals. */
  totals(subjects: readonly string[], from: number, to: number): Map<string, StatsSums> {
    const sums = new Map<string, Sums>();
    const read = this.#db.prepare(RANGE);
    const stored = longestStep(from, to - from);
    for (const subject of subjects) {
      for (const row of read.iterate(this.#number(subject), stored, from, to)) addTo(sums, subject, from, row);
    }
    return sums;
  }

  /** See StatsStore.last. */
  last(subjects: readonly string[]): Map<string, LastTimes> {
    const read = this.#db.prepare('SELECT at, tried_at FROM stats_last WHERE subject = ?');
    const last = new Map<string, LastTimes>();
    for (const subject of subjects) {
      const row = read.get(this.#number(subject));
      if (row) last.set(subject, { lastAt: Number(row['at']) || null, triedAt: Number(row['tried_at']) || null });
    }
    return last;
  }
}

type Sums = { -readonly [K in keyof StatsSums]: StatsSums[K] } & { attempts: Map<string, Tally> };

/** The longest stored step that steps of this length are made of, from there on. */
function longestStep(from: number, step: number): number {
  return STEPS.findLast((stored) => from % stored === 0 && step % stored === 0) ?? STEPS[0] ?? 0;
}

function addTo<K>(sums: Map<K, Sums>, key: K, at: number, row: Record<string, SQLOutputValue>): void {
  let sum = sums.get(key);
  if (!sum) {
    sum = {
      at,
      accepted: 0,
      rejected: 0,
      processed: 0,
      failed: 0,
      filtered: 0,
      retried: 0,
      latency: new Uint32Array(256),
      attempts: new Map(),
    };
    sums.set(key, sum);
  }
  sum.accepted += Number(row['accepted']);
  sum.rejected += Number(row['rejected']);
  sum.processed += Number(row['processed']);
  sum.failed += Number(row['failed']);
  sum.filtered += Number(row['filtered']);
  sum.retried += Number(row['retried']);
  unpackCounts(row['latency'] as Uint8Array, sum.latency);
  addTallies(sum.attempts, talliesIn(String(row['attempts'])));
}
