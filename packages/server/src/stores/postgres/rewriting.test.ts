import { expect, onTestFinished, test } from 'vitest';
import { connected } from '../../../../../test/cluster/postgres.ts';
import { sharedPostgres } from '../../../../../test/cluster/shared-postgres.ts';
import { eventually } from '../../../../../test/system/kit/eventually.ts';
import { Database } from './database.ts';
import { rewriteStale } from './rewriting.ts';
import { entriesAt, openNode } from './test-node.ts';

const postgres = await sharedPostgres();

test('batches are written anew whole, though one statement copies few of them', async () => {
  const url = await postgres.migratedDatabase();
  const { store } = await openNode(url);
  const database = new Database({ url, connections: 2, deadline: 20_000 });
  onTestFinished(async () => {
    await Promise.all([store.close(), database.close()]);
  });
  const [entry] = entriesAt([1]);
  await store.index.add(0, entry ? [entry] : [], 1, []);
  await database.query(
    `INSERT INTO replaced_packs SELECT n * 1024, $1, convert_to('batch ' || n, 'UTF8') FROM generate_series(1, 120) n`,
    [entry?.receivedAt],
  );
  const batches = () => database.query('SELECT pack, received_at, bytes FROM replaced_packs ORDER BY pack');
  const files = () => database.query<{ file: number }>(`SELECT pg_relation_filenode('replaced_packs_1') AS file`);
  const [before, file] = [await batches(), await files()];
  expect(before).toHaveLength(120);
  await database.query(`INSERT INTO stale_tables (name) VALUES ('replaced_packs_1')`);
  await rewriteStale(url, database, new AbortController().signal);
  expect(await files()).not.toEqual(file);
  expect(await batches()).toEqual(before);
  expect(await database.query('SELECT FROM stale_tables')).toEqual([]);
});

test('ends when its lock is lost, which another one may have by then', async () => {
  const url = await postgres.migratedDatabase();
  const { store } = await openNode(url);
  const database = new Database({ url, connections: 2, deadline: 20_000 });
  await using reader = await connected(url);
  onTestFinished(async () => {
    await Promise.all([store.close(), database.close()]);
  });
  await store.index.add(0, entriesAt([1]), 1, []);
  await database.query(`INSERT INTO stale_tables (name) VALUES ('events_1')`);
  // It can't put the copy into the place of a table that is read.
  await reader.query('BEGIN; SELECT FROM millrace.events_1');
  const running = expect(rewriteStale(url, database, new AbortController().signal)).rejects.toThrow('lock');
  await eventually(
    () => database.query(`SELECT to_regclass('events_1_copy') AS copy`),
    ([row]) => row?.['copy'] !== null,
  );
  await database.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
    AND (classid::bigint << 32 | objid::bigint) = hashtextextended('millrace rewriting', 0)`);
  await running;
});
