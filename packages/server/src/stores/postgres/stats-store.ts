import { addTallies, type Tally, talliesIn, talliesText } from '../../core/tally.ts';
import type { LastTimes, StatsAddition, StatsQuery, StatsStore, StatsSums } from '../../record/contract.ts';
import type { Database, Queries } from './database.ts';
import type { Names } from './names.ts';
import { LOWEST } from './piecewise.ts';

const MINUTE = 60_000;

/** The lengths of step that are kept, milliseconds, shortest first: no range is read from more than a few hundred rows. */
const STEPS: readonly number[] = [MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE];

/** Rows that one statement deletes. */
const PIECE = 10_000;

/** More buckets than any latency has. */
const BUCKETS = 256;

/** Statistics in PostgreSQL; see record/contract.ts for what it promises. */
export class PostgresStatsStore implements StatsStore {
  readonly #database: Database;
  readonly #names: Names;

  constructor(database: Database, names: Names) {
    this.#database = database;
    this.#names = names;
  }

  /** Nobody waits for the disk: the power may take the last seconds. */
  async add(additions: readonly StatsAddition[]): Promise<void> {
    if (additions.length === 0) return;
    const numbers = await this.#names.numbers(additions.map(({ subject }) => subject));
    const rows = stepsOf(additions, (subject) => numbers.get(subject) ?? 0);
    const last = lastOf(additions, (subject) => numbers.get(subject) ?? 0);
    await this.#database.transaction(async (queries) => {
      await queries.query('SET LOCAL synchronous_commit = off');
      await queries.query(ADD, columnsOf(rows));
      await queries.query(ADD_LAST, [
        [...last.keys()],
        Array.from(last.values(), ([lastAt]) => lastAt),
        Array.from(last.values(), ([, triedAt]) => triedAt),
      ]);
    });
  }

  async series({ subjects, from, to, step }: StatsQuery): Promise<readonly StatsSums[]> {
    const sums = new Map<number, Sums>();
    for (const row of await this.#read(subjects, longestStep(from, step), from, to)) {
      const at = from + Math.floor((row.at - from) / step) * step;
      addTo(sums, at, at, row);
    }
    return [...sums.values()].sort((a, b) => a.at - b.at);
  }

  async totals(subjects: readonly string[], from: number, to: number): Promise<ReadonlyMap<string, StatsSums>> {
    const sums = new Map<string, Sums>();
    const rows = await this.#read(subjects, longestStep(from, to - from), from, to);
    const names = await this.#names.names(rows.map(({ subject }) => subject));
    for (const row of rows) addTo(sums, names.get(row.subject) ?? '', from, row);
    return sums;
  }

  async last(subjects: readonly string[]): Promise<ReadonlyMap<string, LastTimes>> {
    const numbers = await this.#names.known(subjects);
    const rows = await this.#database.query<{ subject: number; at: number; tried_at: number }>(
      'SELECT subject, at, tried_at FROM stats_last WHERE subject = ANY($1::int[])',
      [numbers],
    );
    const names = await this.#names.names(numbers);
    return new Map(
      rows.map((row) => [names.get(row.subject) ?? '', { lastAt: row.at || null, triedAt: row.tried_at || null }]),
    );
  }

  async #read(subjects: readonly string[], step: number, from: number, to: number): Promise<StatsRow[]> {
    const numbers = await this.#names.known(subjects);
    return this.#database.query<StatsRow>(
      `SELECT subject, at, accepted, rejected, processed, failed, filtered, retried, latency::text[] AS latency,
         attempts
       FROM stats WHERE subject = ANY($1::int[]) AND step = $2 AND at >= $3 AND at < $4`,
      [numbers, step, from, to],
    );
  }
}

/** Deletes the steps that ended before a time, oldest first. */
export async function expireStats(queries: Queries, before: number): Promise<void> {
  for (const step of STEPS) {
    for (let from: number | null = LOWEST; from !== null; ) {
      const [row]: { last: number | null }[] = await queries.query(EXPIRE, [step, from, before - step + 1]);
      from = row?.last ?? null;
    }
  }
  await queries.query('DELETE FROM stats_last WHERE greatest(at, tried_at) < $1', [before]);
}

/** Answers when the last step began that was deleted; null when none was left. */
const EXPIRE = `WITH old AS MATERIALIZED (
    SELECT subject, at FROM stats WHERE step = $1 AND at >= $2 AND at < $3 ORDER BY at LIMIT ${PIECE}),
  gone AS (
    DELETE FROM stats s USING old o WHERE s.subject = o.subject AND s.step = $1 AND s.at = o.at)
  SELECT max(at) AS last FROM old`;

type Sums = { -readonly [K in keyof StatsSums]: StatsSums[K] } & { attempts: Map<string, Tally> };

interface StepRow extends Sums {
  readonly subject: number;
  readonly step: number;
}

interface StatsRow extends Omit<StatsSums, 'latency' | 'attempts'> {
  readonly subject: number;
  readonly latency: readonly string[];
  readonly attempts: string;
}

/** What the additions come to in each length of step, in an order that is the same on every node. */
function stepsOf(additions: readonly StatsAddition[], numberOf: (subject: string) => number): StepRow[] {
  const rows = new Map<string, StepRow>();
  for (const addition of additions) {
    const subject = numberOf(addition.subject);
    for (const step of STEPS) {
      const at = addition.at - (addition.at % step);
      const key = `${subject} ${step} ${at}`;
      const row = rows.get(key) ?? { ...nothing(at), subject, step };
      rows.set(key, row);
      add(row, addition);
    }
  }
  return [...rows.values()].sort((a, b) => a.subject - b.subject || a.step - b.step || a.at - b.at);
}

/** The last times by subject, 0 where there is none. */
function lastOf(
  additions: readonly StatsAddition[],
  numberOf: (subject: string) => number,
): Map<number, readonly [lastAt: number, triedAt: number]> {
  const last = new Map<number, readonly [number, number]>();
  for (const { subject, lastAt, triedAt } of additions) {
    if (lastAt === null && triedAt === null) continue;
    const [at, tried] = last.get(numberOf(subject)) ?? [0, 0];
    last.set(numberOf(subject), [Math.max(at, lastAt ?? 0), Math.max(tried, triedAt ?? 0)]);
  }
  return last;
}

/** A row's latency is an array, and arrays of arrays must be of one length: each goes as the text of one. */
function columnsOf(rows: readonly StepRow[]): unknown[] {
  return [
    ...(['subject', 'step', 'at', 'accepted', 'rejected', 'processed', 'failed', 'filtered', 'retried'] as const).map(
      (key) => rows.map((row) => row[key]),
    ),
    rows.map(({ latency }) => `{${latency.subarray(0, latency.findLastIndex((count) => count > 0) + 1).join(',')}}`),
    rows.map(({ attempts }) => talliesText(attempts)),
  ];
}

const ADD = `INSERT INTO stats (subject, step, at, accepted, rejected, processed, failed, filtered, retried, latency,
  attempts) SELECT t.a, t.b, t.c, t.d, t.e, t.f, t.g, t.h, t.i, t.j::bigint[], t.k FROM unnest($1::int[], $2::bigint[], $3::bigint[],
    $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::text[],
    $11::text[]) t(a, b, c, d, e, f, g, h, i, j, k)
  ON CONFLICT (subject, step, at) DO UPDATE SET
    accepted = stats.accepted + excluded.accepted, rejected = stats.rejected + excluded.rejected,
    processed = stats.processed + excluded.processed, failed = stats.failed + excluded.failed,
    filtered = stats.filtered + excluded.filtered, retried = stats.retried + excluded.retried,
    latency = add_counts(stats.latency, excluded.latency), attempts = add_tallies(stats.attempts, excluded.attempts)`;

const ADD_LAST = `INSERT INTO stats_last (subject, at, tried_at)
  SELECT * FROM unnest($1::int[], $2::bigint[], $3::bigint[]) t(subject, at, tried_at) ORDER BY subject
  ON CONFLICT (subject) DO UPDATE SET at = greatest(stats_last.at, excluded.at),
    tried_at = greatest(stats_last.tried_at, excluded.tried_at)`;

/** The longest stored step that steps of this length are made of, from there on. */
function longestStep(from: number, step: number): number {
  return STEPS.findLast((stored) => from % stored === 0 && step % stored === 0) ?? MINUTE;
}

function addTo<K>(sums: Map<K, Sums>, key: K, at: number, row: StatsRow): void {
  const sum = sums.get(key) ?? nothing(at);
  sums.set(key, sum);
  add(sum, {
    ...row,
    latency: Uint32Array.from(row.latency, Number),
    attempts: new Map(talliesIn(row.attempts)),
  });
}

function nothing(at: number): Sums {
  const none = { accepted: 0, rejected: 0, processed: 0, failed: 0, filtered: 0, retried: 0 };
  return { at, ...none, latency: new Uint32Array(BUCKETS), attempts: new Map() };
}

function add(sum: Sums, more: StatsSums): void {
  sum.accepted += more.accepted;
  sum.rejected += more.rejected;
  sum.processed += more.processed;
  sum.failed += more.failed;
  sum.filtered += more.filtered;
  sum.retried += more.retried;
  for (const [bucket, count] of more.latency.entries()) sum.latency[bucket] = (sum.latency[bucket] ?? 0) + count;
  addTallies(sum.attempts, more.attempts);
}
