import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { statsConformance } from '../../record/stats-conformance.ts';
import { expireStats } from '../relational/stats-store.ts';
import { livePath } from './live.ts';
import { type BoundStatement, run } from './statements.ts';
import { packCounts, unpackCounts } from './stats-functions.ts';
import { openWorld, sqlOn } from './test-world.ts';

statsConformance('SQLite', () => openWorld());

test('counts are packed and unpacked as they were, large ones too', () => {
  const counts = Uint32Array.from({ length: 256 }, (_, i) => (i % 3 === 0 ? 0 : 2 ** 32 - 1 - i));
  const into = new Uint32Array(256);
  unpackCounts(packCounts(counts), into);
  expect(into).toEqual(counts);
  expect(packCounts(new Uint32Array(110))).toHaveLength(0);
});

test('what is old is found by an index, without going through the table', async () => {
  const world = await openWorld();
  await world.stop();
  const db = new DatabaseSync(livePath(world.dataDir));
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
    INSERT INTO stats (subject, step, at, accepted, rejected, processed, failed, filtered, retried, latency)
    SELECT 1, 60000, i * 60000, 1, 0, 0, 0, 0, 0, x'' FROM n`);
  const ran: BoundStatement[] = [];
  const sql = sqlOn((statement) => {
    ran.push(statement);
    return run(db, statement);
  });
  // A midnight.
  await expireStats(sql, 28_800 * 60_000);
  expect(db.prepare('SELECT count(*) AS rows, min(at) AS at FROM stats').get()).toEqual({
    rows: 1_201,
    at: 28_800 * 60_000,
  });
  const deletions = ran.filter(({ text }) => text.startsWith('DELETE FROM stats WHERE'));
  // The oldest in pieces.
  expect(deletions.length).toBeGreaterThan(4);
  for (const { text } of ran.filter(({ text }) => text.includes('FROM stats WHERE'))) {
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    expect(steps.map(({ detail }) => detail)).toEqual([expect.stringMatching(/^SEARCH .* INDEX stats_by_age/)]);
  }
  db.close();
  await world.close();
});
