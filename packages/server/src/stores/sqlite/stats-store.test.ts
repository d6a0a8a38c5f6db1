import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { statsConformance } from '../../record/stats-conformance.ts';
import { livePath } from './live.ts';
import { packCounts, STEPS, StatsTable, unpackCounts } from './stats-table.ts';
import { openWorld } from './test-world.ts';

statsConformance('SQLite', () => openWorld());

test('counts are packed and unpacked as they were, large ones too', () => {
  const counts = Uint32Array.from({ length: 256 }, (_, i) => (i % 3 === 0 ? 0 : 2 ** 32 - 1 - i));
  const into = new Uint32Array(256);
  unpackCounts(packCounts(counts), into);
  expect(into).toEqual(counts);
  expect(packCounts(new Uint32Array(110))).toHaveLength(0);
});

test('what is old is found by the key, without going through the table', async () => {
  const world = await openWorld();
  await world.stop();
  const db = new DatabaseSync(livePath(world.dataDir));
  const prepared = vi.spyOn(db, 'prepare');
  const table = new StatsTable(db);
  const statements = prepared.mock.calls.map(([sql]) => sql).filter((sql) => sql.startsWith('DELETE'));
  expect(statements).toHaveLength(2);
  const latency = new Uint32Array();
  const sums = {
    accepted: 1,
    rejected: 0,
    processed: 0,
    failed: 0,
    filtered: 0,
    retried: 0,
    latency,
    lastAt: null,
    triedAt: null,
  };
  table.add([{ subject: 's', at: 0, ...sums, attempts: new Map() }], [1]);
  for (const sql of statements) {
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    expect(steps.map(({ detail }) => detail)).toEqual([expect.stringMatching(/^SEARCH .* USING .*PRIMARY KEY/)]);
  }
  expect(db.prepare('SELECT count(*) AS rows FROM stats').get()).toEqual({ rows: STEPS.length });
  db.close();
  await world.close();
});
