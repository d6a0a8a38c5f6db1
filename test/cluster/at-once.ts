import type { Fault } from '../../packages/server/src/core/fault.ts';
import { eventually } from '../system/kit/eventually.ts';
import { connected } from './postgres.ts';

/** Has all of them come to the moment of writing before any writes, then they write in their order; answers what was refused. */
export async function atOnce(url: string, changes: readonly (() => Promise<unknown>)[]): Promise<readonly object[]> {
  await using client = await connected(url);
  // A leading node that computes or forgets something takes turns too, and would be counted as one that waits.
  await eventually(
    async () => (await client.query(WITH_JOB)).rows.length,
    (jobs) => jobs === 0,
  );
  await client.query('BEGIN');
  await client.query('SELECT FROM millrace.profile_turn FOR UPDATE');
  const begun: Promise<unknown>[] = [];
  for (const change of changes) {
    begun.push(change());
    await eventually(
      async () => {
        // Within a transaction these views stay as they were first seen.
        await client.query('SELECT pg_stat_clear_snapshot()');
        return (await client.query(WAITING)).rows.length;
      },
      (waiting) => waiting >= begun.length,
    );
  }
  const done = Promise.allSettled(begun);
  await client.query('COMMIT');
  return (await done).flatMap((end) => (end.status === 'rejected' ? [refusalOf(end.reason as Fault)] : []));
}

const WITH_JOB = `SELECT FROM millrace.profile_definitions WHERE document::jsonb -> 'job' <> 'null'`;

const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
  AND query LIKE '%profile_turn FOR UPDATE'`;

function refusalOf({ code, message }: Fault): object {
  return { code, message };
}
