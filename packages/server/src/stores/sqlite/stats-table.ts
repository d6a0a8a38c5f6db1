import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { addTallies, type Tally, talliesIn, talliesText } from '../../core/tally.ts';
import type { StatsAddition } from '../../record/contract.ts';
import { transaction } from './database.ts';

/**
 * Statistics in `millrace.db`. Each addition is counted once for every length of step, so a week of one subject is read
 * from some eighty rows of two hours, and no range needs more than a few hundred. Written without a sync: the power may
 * take the last seconds.
 *
 * - `stats`: `subject` is the number of a name; `step` a length and `at` a beginning, milliseconds; `latency` is packed
 *   (see `packCounts`), `attempts` are tallies as text (core/tally.ts).
 * - `stats_last`: when a subject's last event was accepted or delivered, and when a destination's last round of attempts
 *   ended; 0 where that never happened.
 */
const MINUTE = 60_000;

/** The lengths of step that are kept, milliseconds, shortest first. */
export const STEPS: readonly number[] = [MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE];

const ADD = `INSERT INTO stats (subject, step, at, accepted, rejected, processed, failed, filtered, retried, latency,
  attempts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
  accepted = accepted + excluded.accepted, rejected = rejected + excluded.rejected,
  processed = processed + excluded.processed, failed = failed + excluded.failed,
  filtered = filtered + excluded.filtered, retried = retried + excluded.retried,
  latency = add_counts(latency, excluded.latency), attempts = add_tallies(attempts, excluded.attempts)`;

const ADD_LAST = `INSERT INTO stats_last (subject, at, tried_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET
  at = max(at, excluded.at), tried_at = max(tried_at, excluded.tried_at)`;

/** What the writer does with statistics. */
export class StatsTable {
  readonly #db: DatabaseSync;
  readonly #add: StatementSync;
  readonly #addLast: StatementSync;
  readonly #expire: StatementSync;
  readonly #expireLast: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    db.function('add_tallies', { deterministic: true }, (a, b) => addedTallies(String(a), String(b)));
    db.function('add_counts', { deterministic: true }, (a, b) => addCounts(a as Uint8Array, b as Uint8Array));
    this.#add = db.prepare(ADD);
    this.#addLast = db.prepare(ADD_LAST);
    this.#expire = db.prepare('DELETE FROM stats WHERE subject = ? AND step = ? AND at < ?');
    this.#expireLast = db.prepare('DELETE FROM stats_last WHERE subject = ? AND max(at, tried_at) < ?');
  }

  /** `subjects` are the numbers of the additions' subjects. */
  add(additions: readonly StatsAddition[], subjects: readonly number[]): void {
    transaction(this.#db, () => {
      for (const [i, addition] of additions.entries()) {
        const subject = subjects[i] ?? 0;
        const { at, accepted, rejected, processed, failed, filtered, retried, lastAt, triedAt } = addition;
        const latency = packCounts(addition.latency);
        const attempts = talliesText(addition.attempts);
        const ends = [processed, failed, filtered, retried];
        for (const step of STEPS) {
          const begin = at - (at % step);
          this.#add.run(subject, step, begin, accepted, rejected, ...ends, latency, attempts);
        }
        if (lastAt !== null || triedAt !== null) this.#addLast.run(subject, lastAt ?? 0, triedAt ?? 0);
      }
    });
  }

  /** Deletes the steps of these subjects that ended before a time. */
  expire(before: number, subjects: readonly number[]): void {
    transaction(this.#db, () => {
      for (const subject of subjects) {
        for (const step of STEPS) this.#expire.run(subject, step, before - step + 1);
        this.#expireLast.run(subject, before);
      }
    });
  }
}

/** What one count of a bucket takes: the bucket's number, and the count in 4 bytes. */
const COUNT_BYTES = 5;

/** The counts that are not zero, since few buckets of a minute have one. */
export function packCounts(counts: Uint32Array): Uint8Array {
  const used = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  const view = new DataView(new ArrayBuffer(used * COUNT_BYTES));
  let offset = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count === 0) continue;
    view.setUint8(offset, bucket);
    view.setUint32(offset + 1, count);
    offset += COUNT_BYTES;
  }
  return new Uint8Array(view.buffer);
}

/** Adds packed counts to an array that is long enough for any: 256. */
export function unpackCounts(packed: Uint8Array, into: Uint32Array): void {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let offset = 0; offset < packed.byteLength; offset += COUNT_BYTES) {
    const bucket = view.getUint8(offset);
    into[bucket] = (into[bucket] ?? 0) + view.getUint32(offset + 1);
  }
}

function addedTallies(a: string, b: string): string {
  if (a === '' || b === '') return a + b;
  const sum = new Map<string, Tally>(talliesIn(a));
  addTallies(sum, talliesIn(b));
  return talliesText(sum);
}

function addCounts(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (b.byteLength === 0) return a;
  const sum = new Uint32Array(256);
  unpackCounts(a, sum);
  unpackCounts(b, sum);
  return packCounts(sum);
}
