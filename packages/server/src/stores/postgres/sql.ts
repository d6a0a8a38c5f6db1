import { BUCKETS, type Dialect, type Sql, type Statement, sql, type Topic, type Value } from '../relational/sql.ts';
import type { Database, Queries } from './database.ts';
import { markWholeStale } from './erasing.ts';
import type { Listener } from './listener.ts';
import { fromText, toText } from './text.ts';

const POSTGRES: Dialect = {
  hashed: (text) => sql`hashtextextended(${text}, 0)`,
  toText,
  fromText,
  packed: (counts) => `{${counts.subarray(0, counts.findLastIndex((count) => count > 0) + 1).join(',')}}`,
  sumOfCounts: sql`string_agg(array_to_string(latency, ','), ' ')`,
  unpacked: (sum) => sumOf(String(sum)),
  allTallies: sql`string_agg(attempts, chr(10))`,
};

/** The tables of a cluster that are small beside the events. Each topic is a channel of PostgreSQL. Without a listener, nothing can be watched. */
export function postgresSql(database: Database, listener?: Listener): Sql {
  const read = <Row extends object>(statement: Statement): Promise<Row[]> => run(database, statement);
  return {
    dialect: POSTGRES,
    watch: listener && ((topic, changed) => listener.listen(channelOf(topic), changed)),
    read,
    async write(statements, { tells, erases = [], unsynced = false } = {}) {
      const [only, ...others] = statements;
      // A single statement is its own transaction. That saves three round trips.
      if (only && others.length + erases.length === 0 && !unsynced && !tells) return [await read(only)];
      return database.transaction(async (queries) => {
        if (unsynced) await queries.query('SET LOCAL synchronous_commit = off');
        const answers: object[][] = [];
        for (const statement of statements) answers.push(await run(queries, statement));
        for (const table of erases) await markWholeStale(queries, table);
        if (tells) await queries.query(`SELECT pg_notify('${channelOf(tells)}', '')`);
        return answers;
      });
    },
  };
}

function sumOf(texts: string): Uint32Array {
  const sum = new Uint32Array(BUCKETS);
  for (const text of texts.split(' ')) {
    if (text === '') continue;
    for (const [bucket, count] of text.split(',').entries()) sum[bucket] = (sum[bucket] ?? 0) + Number(count);
  }
  return sum;
}

function channelOf(topic: Topic): string {
  return `millrace_${topic}`;
}

/** Runs a statement with PostgreSQL's numbered parameters. */
export function run<Row extends object>(queries: Queries, { text, values }: Statement): Promise<Row[]> {
  let n = 0;
  return queries.query<Row>(
    text.replaceAll('?', () => `$${++n}`),
    values.map(toParameter),
  );
}

function toParameter(value: Value): unknown {
  return value instanceof Uint8Array ? value : toCell(value);
}

/** A value in the form in which it is stored. */
export function toCell(value: Exclude<Value, Uint8Array>): string | number | null {
  if (typeof value === 'string') return toText(value);
  return typeof value === 'object' && value !== null ? value.json : value;
}

/** Numbers or keys as the text of a PostgreSQL array. */
export function arrayOf(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`;
}
