import { addTallies, type Tally, talliesIn, talliesText } from '../../core/tally.ts';
import {
  STATS_COUNTS,
  STATS_STEPS,
  type StatsAddition,
  type StatsStore,
  type StatsSums,
  statsCounts,
} from '../../record/contract.ts';
import type { Dictionary } from './dictionary.ts';
import { BUCKETS, inserting, list, type Sql, type Statement, sql } from './sql.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** How long a subject's last times are kept: a rule may ask whether a source is silent for a year. It is one row per subject. */
const LAST_MS = 400 * DAY;
/** No two clocks of a cluster differ by this much: a time further in the future was written by a wrong clock. */
const WRONG_MS = 60 * MINUTE;
const NEVER = Number.MAX_SAFE_INTEGER - WRONG_MS;

/** About how many rows one statement deletes. */
const PIECE = 10_000;

/** Statistics, written without a sync. See record/contract.ts for its promises. */
export function statsStore(database: Sql, dictionary: Dictionary): StatsStore {
  /** Sums over the rows that have the same key. */
  async function sums(
    key: Statement,
    subjects: readonly string[],
    step: number,
    from: number,
    to: number,
  ): Promise<{ readonly key: number; readonly sums: Omit<StatsSums, 'at'> }[]> {
    const { sumOfCounts, unpacked, allTallies } = database.dialect;
    const numbers = await dictionary.known(subjects);
    if (numbers.length === 0) return [];
    const rows = await database.read<SumsRow>(
      sql`SELECT ${key} AS key, ${eachCount((count) => `CAST(sum(${count}) AS bigint) AS ${count}`)},
          ${sumOfCounts} AS latency, ${allTallies} AS attempts
        FROM stats WHERE subject IN (${list(numbers)}) AND step = ${step} AND at >= ${from} AND at < ${to} GROUP BY 1`,
    );
    return rows.map(({ key, latency, attempts: lines, ...counts }) => {
      const attempts = new Map<string, Tally>();
      for (const line of lines.split('\n')) addTallies(attempts, talliesIn(line));
      return { key, sums: { ...counts, latency: unpacked(latency), attempts } };
    });
  }
  return {
    async add(additions, now = NEVER) {
      if (additions.length === 0) return;
      const { packed } = database.dialect;
      const numberOf = await dictionary.numbers(additions.map(({ subject }) => subject));
      const rows = stepsOf(additions, numberOf).map((row) => [
        ...[row.subject, row.step, row.at, ...STATS_COUNTS.map((count) => row[count])],
        ...[packed(row.latency), talliesText(row.attempts)],
      ]);
      await database.write(
        [
          ...inserting(rows, adding),
          ...inserting(
            lastOf(additions, numberOf),
            (values) => sql`INSERT INTO stats_last (subject, at, tried_at) VALUES ${values}
            ON CONFLICT (subject) DO UPDATE SET at = ${latest(sql`at`, now)}, tried_at = ${latest(sql`tried_at`, now)}`,
          ),
        ],
        { unsynced: true },
      );
    },
    async series({ subjects, from, to, step }) {
      const rows = await sums(sql`at - (at - ${from}) % ${step}`, subjects, longestStep(from, step), from, to);
      return rows.map(({ key, sums }) => ({ ...sums, at: key })).toSorted((a, b) => a.at - b.at);
    },
    async totals(subjects, from, to) {
      const rows = await sums(sql`subject`, subjects, longestStep(from, to - from), from, to);
      const idOf = await dictionary.ids(rows.map(({ key }) => key));
      return new Map(rows.map(({ key, sums }) => [idOf(key), { ...sums, at: from }]));
    },
    async accepted(subjects, from, to) {
      const numbers = await dictionary.known(subjects);
      if (numbers.length === 0) return new Map();
      const rows = await database.read<{ readonly subject: number; readonly at: number; readonly accepted: number }>(
        sql`SELECT subject, at, accepted FROM stats
        WHERE subject IN (${list(numbers)}) AND step = ${MINUTE} AND at >= ${from} AND at < ${to} AND accepted > 0`,
      );
      const idOf = await dictionary.ids(numbers);
      const minutes = Map.groupBy(rows, ({ subject }) => idOf(subject));
      return new Map([...minutes].map(([name, of]) => [name, new Map(of.map(({ at, accepted }) => [at, accepted]))]));
    },
    async last(subjects) {
      const numbers = await dictionary.known(subjects);
      if (numbers.length === 0) return new Map();
      const rows = await database.read<{ readonly subject: number; readonly at: number; readonly tried_at: number }>(
        sql`SELECT subject, at, tried_at FROM stats_last WHERE subject IN (${list(numbers)})`,
      );
      const idOf = await dictionary.ids(numbers);
      return new Map(rows.map((row) => [idOf(row.subject), { lastAt: row.at || null, triedAt: row.tried_at || null }]));
    },
  };
}

/** Adds rows of counts to those that are there. */
function adding(values: Statement): Statement {
  return sql`INSERT INTO stats (subject, step, at, ${eachCount((count) => count)}, latency, attempts) VALUES ${values}
    ON CONFLICT (subject, step, at) DO UPDATE SET ${eachCount((count) => `${count} = stats.${count} + excluded.${count}`)},
      latency = add_counts(stats.latency, excluded.latency), attempts = add_tallies(stats.attempts, excluded.attempts)`;
}

/** Joins a part of a statement for each count. */
function eachCount(part: (count: string) => string): Statement {
  return { text: STATS_COUNTS.map(part).join(', '), values: [] };
}

interface SumsRow extends Omit<StatsSums, 'at' | 'latency' | 'attempts'> {
  readonly key: number;
  readonly latency: unknown;
  readonly attempts: string;
}

/** The later of two times; 0 means none. A stored time that a wrong clock wrote loses. */
function latest(column: Statement, now: number): Statement {
  return sql`CASE WHEN excluded.${column} > stats_last.${column}
      OR (excluded.${column} > 0 AND stats_last.${column} > ${now + WRONG_MS})
    THEN excluded.${column} ELSE stats_last.${column} END`;
}

/**
 * Deletes the steps of the days (UTC) that ended before a time, oldest first: the count of a day needs all of it. It does so in
 * pieces, so that no statement takes long.
 */
export async function expireStats(database: Sql, before: number): Promise<void> {
  const unsynced = { unsynced: true };
  for (const step of STATS_STEPS) {
    const end = before - (before % DAY) - step + 1;
    for (let from = Number.MIN_SAFE_INTEGER; from < end; ) {
      const [edge] = await database.read<{ readonly at: number }>(
        sql`SELECT at FROM stats WHERE step = ${step} AND at >= ${from} AND at < ${end} ORDER BY at LIMIT 1 OFFSET ${PIECE}`,
      );
      const to = edge ? edge.at + 1 : end;
      await database.write([sql`DELETE FROM stats WHERE step = ${step} AND at >= ${from} AND at < ${to}`], unsynced);
      from = to;
    }
  }
  const last = before - LAST_MS;
  await database.write([sql`DELETE FROM stats_last WHERE at < ${last} AND tried_at < ${last}`], unsynced);
}

interface StepRow extends StatsSums {
  readonly subject: number;
  readonly step: number;
}

/** Sums the additions for each length of step. The order of rows is the same in every process. */
function stepsOf(additions: readonly StatsAddition[], numberOf: (subject: string) => number): StepRow[] {
  const rows = new Map<string, StepRow>();
  for (const addition of additions) {
    const subject = numberOf(addition.subject);
    for (const step of STATS_STEPS) {
      const at = addition.at - (addition.at % step);
      const key = `${subject} ${step} ${at}`;
      const before = rows.get(key);
      rows.set(key, { ...(before ? sumOf(before, addition) : addition), subject, step, at });
    }
  }
  return [...rows.values()].sort((a, b) => a.subject - b.subject || a.step - b.step || a.at - b.at);
}

function sumOf(a: StatsSums, b: StatsSums): StatsSums {
  const latency = new Uint32Array(BUCKETS);
  for (const { latency: counts } of [a, b]) {
    for (const [bucket, count] of counts.entries()) latency[bucket] = (latency[bucket] ?? 0) + count;
  }
  const attempts = new Map(a.attempts);
  addTallies(attempts, b.attempts);
  return { ...statsCounts((count) => a[count] + b[count]), at: a.at, latency, attempts };
}

/** The last times of each subject; 0 means none. */
function lastOf(
  additions: readonly StatsAddition[],
  numberOf: (subject: string) => number,
): (readonly [subject: number, lastAt: number, triedAt: number])[] {
  const last = new Map<number, readonly [number, number, number]>();
  for (const { subject, lastAt, triedAt } of additions) {
    if (lastAt === null && triedAt === null) continue;
    const number = numberOf(subject);
    const [, at, tried] = last.get(number) ?? [number, 0, 0];
    last.set(number, [number, Math.max(at, lastAt ?? 0), Math.max(tried, triedAt ?? 0)]);
  }
  return [...last.values()].sort(([a], [b]) => a - b);
}

/** The longest stored step of which steps of this length are made, beginning at `from`. */
function longestStep(from: number, step: number): number {
  return STATS_STEPS.findLast((stored) => from % stored === 0 && step % stored === 0) ?? MINUTE;
}
