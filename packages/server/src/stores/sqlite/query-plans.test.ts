import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AccountStore } from '../../accounts/contract.ts';
import { EVENT_TYPES } from '../../core/event.ts';
import { sampleEvent } from '../../log/conformance.ts';
import { EVERYTHING } from '../../record/conformance.ts';
import { ANY_EVENT, CANDIDATES } from '../../record/search-conformance.ts';
import { accountStore } from '../relational/account-store.ts';
import { Dictionary } from '../relational/dictionary.ts';
import { statsStore } from '../relational/stats-store.ts';
import { livePath } from './live.ts';
import { parsePartitionFile } from './partition.ts';
import type { PartitionInfo } from './protocol.ts';
import { Reader } from './reader.ts';
import { addStatsFunctions } from './stats-functions.ts';
import { openWorld, type SqliteWorld, sqlOn } from './test-world.ts';
import { Writer } from './writer.ts';

const EVENTS = 1_000_000;
const SETTLED_AFTER = 800_000;
const ENTRIES = 100_000;
/** Come the ordinary way, and are more than one run of message ids. */
const FIRST = 20;

/**
 * A source with a million events, of which its one destination took the last fifth and processed none: they failed, were
 * filtered or are in the retry queue. Written by SQL, because only the reads are looked at here.
 */
const fillPartition = (begun: number): string => `
WITH RECURSIVE n(i) AS (SELECT ${FIRST} + 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${EVENTS})
INSERT INTO events (seq, source, received_at, type, message_id, name, user_id, body)
  SELECT i, 1, ${begun} + i, 0, 'm' || i, 'Common', 'u' || (i % 1000), x'7b7d' FROM n;
INSERT INTO deliveries (destination, seq, lane, state, attempts, rounds, due_at, at)
  SELECT 2, seq, 1, 1 + seq % 3, '', 1, CASE seq % 3 WHEN 2 THEN seq END, seq FROM events WHERE seq > ${SETTLED_AFTER};
`;

const FILL_LIVE = `
UPDATE lanes SET position = ${EVENTS};
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ENTRIES})
INSERT INTO audit (at, actor, action, fields, address) SELECT i, 'ada', 'source.update', '[]', '192.0.2.1' FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ENTRIES})
INSERT INTO stats (subject, step, at, accepted, rejected, processed, failed, filtered, retried, latency)
  SELECT 1 + i % 2, 60000, i / 2 * 60000, 1, 0, 0, 0, 0, 0, x'' FROM n;
`;

let world: SqliteWorld;
let partitions: readonly PartitionInfo[];
/** The event at a position was received so many milliseconds later. */
let begun: number;
beforeAll(async () => {
  world = await openWorld({ runSize: 16 });
  begun = world.now();
  await world.log.openLane('s', 'd');
  await world.log.append(
    Array.from({ length: FIRST }, (_, i) => sampleEvent('s', `m${i + 1}`, { receivedAt: begun + i + 1 })),
  );
  await world.stop();
  partitions = readdirSync(world.dataDir).flatMap((name) => parsePartitionFile(world.dataDir, name) ?? []);
  for (const { path } of partitions) fill(path, fillPartition(begun));
  fill(livePath(world.dataDir), FILL_LIVE);
}, 60_000);
afterAll(() => world.close());

function fill(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA synchronous = OFF');
  db.exec(`BEGIN; ${sql} COMMIT`);
  db.close();
}

/** Every statement that is prepared while something runs, without those that change something. */
async function statementsOf(run: () => void | Promise<void>): Promise<string[]> {
  const prepared = vi.spyOn(DatabaseSync.prototype, 'prepare');
  try {
    await run();
    return [...new Set(prepared.mock.calls.map(([sql]) => sql))].filter((sql) => sql.startsWith('SELECT'));
  } finally {
    prepared.mockRestore();
  }
}

/** Says how SQLite runs a statement, in the file that has its tables. */
function plan(sql: string): string {
  for (const file of [...partitions.map(({ path }) => path), livePath(world.dataDir)]) {
    const db = new DatabaseSync(file, { readOnly: true });
    addStatsFunctions(db);
    try {
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      return steps.map((step) => String(step['detail'])).join('; ');
    } catch (error) {
      if (!String(error).includes('no such table')) throw error;
    } finally {
      db.close();
    }
  }
  throw new Error(`No file has the tables of: ${sql}`);
}

/** Small: lanes are as many as connected pairs, and people, tokens and invites as an organisation has. */
const FEW = /FROM (lanes|accounts|tokens|invites)\b/;

/** Those of the statements that go through a whole table, or sort. */
function slow(statements: readonly string[]): string[] {
  const sorts = (sql: string): RegExp =>
    // The few rows of a range are grouped.
    /FROM stats\b/.test(sql) ? /TEMP B-TREE(?! FOR GROUP BY)|SCAN / : /TEMP B-TREE|SCAN /;
  return statements
    .filter((sql) => !FEW.test(sql) && !sql.startsWith('SELECT max(seq)'))
    .flatMap((sql) => {
      const steps = plan(sql);
      return sorts(sql).test(steps) ? [`${sql.replace(/\s+/g, ' ')}: ${steps}`] : [];
    });
}

const HOUR = 3_600_000;
/** What the pages of the interface ask the reader for, in every way they can. */
async function askEverything(reader: Reader): Promise<void> {
  const numbers = { source: 1, destination: 2 };
  expect(reader.readLane(numbers, EVENTS, 2 * EVENTS, 99)).toEqual([]);
  expect(reader.receivedAfter(numbers, EVENTS, 2 * EVENTS)).toBeNull();
  expect(reader.retryQueue('d', 10)).toHaveLength(10);
  // Overview and charts.
  expect(reader.oldestWaiting(['d'])).toEqual(new Map([['d', begun + SETTLED_AFTER + 3]]));
  const sql = sqlOn((statement) => reader.read(statement));
  const stats = statsStore(sql, new Dictionary(sql));
  expect(await stats.series({ subjects: ['s', 'd'], from: 0, to: HOUR, step: 60_000 })).toHaveLength(60);
  expect((await stats.totals(['s', 'd'], 60_000, HOUR)).size).toBe(2);
  expect(await stats.last(['s', 'd'])).toEqual(new Map());
  // Deliveries, events and one message.
  const words = { event: 'Common', userId: 'u1' };
  const times = { from: begun + 10, to: begun + EVENTS - 10 };
  for (const filter of [{}, { event: 'Common' }, { userId: 'u1' }, times, { ...words, ...times }]) {
    for (const state of [null, 'failed', 'filtered', 'retrying'] as const) {
      for (const destinationId of [null, 'd']) {
        const query = { ...EVERYTHING, ...filter, state, destinationId, limit: 5 };
        expect((await reader.messages.list(query)).items).toHaveLength(5);
      }
    }
    for (const sourceId of [null, 's']) {
      for (const type of [null, EVENT_TYPES[0]]) {
        const query = { ...ANY_EVENT, ...filter, sourceId, type, limit: 5 };
        expect((await reader.messages.events(query)).items).toHaveLength(5);
      }
    }
    for (const state of ['failed', 'all'] as const) {
      const query = { ...CANDIDATES, ...filter, state, limit: 5 };
      expect((await reader.messages.candidates(query)).items).toHaveLength(5);
    }
  }
  expect((await reader.messages.events(ANY_EVENT, [2, 3])).items).toHaveLength(2);
  expect(reader.fetch([2, 3])).toHaveLength(2);
  expect(await reader.messages.deliveriesOf(EVENTS)).toHaveLength(1);
  // Who may look, and the audit log.
  const accounts = accountsOf(reader);
  expect(await accounts.session('no', 0)).toBeNull();
  for (const found of [
    accounts.token('no'),
    accounts.account('no'),
    accounts.invite('no', 0),
    accounts.accountByEmail('no'),
  ]) {
    expect(await found).toBeNull();
  }
  for (const listed of [accounts.accounts(), accounts.tokens(), accounts.invites(0)]) expect(await listed).toEqual([]);
  for (const actor of [null, 'ada']) {
    for (const action of [null, 'source.']) {
      for (const times of [
        { from: null, to: null },
        { from: 5, to: 500 },
      ]) {
        for (const cursor of [null, '400-400']) {
          const query = { actor, action, targetId: null, ...times, cursor, limit: 5 };
          expect((await accounts.auditEntries(query)).items).toHaveLength(5);
        }
      }
    }
  }
}

function accountsOf(reader: Reader): AccountStore {
  return accountStore(sqlOn((statement) => reader.read(statement)));
}

test('with a million events no query behind the interface goes through a whole table, or sorts', async () => {
  const reader = new Reader({ dataDir: world.dataDir, partitions });
  const statements = await statementsOf(() => askEverything(reader));
  reader.close();
  expect(statements.length).toBeGreaterThan(20);
  expect(slow(statements)).toEqual([]);
  const used = statements.map(plan).join('\n');
  const indexes = ['events_by_source', 'shelf', 'deliveries_not_processed', 'audit_by_time', 'audit_by_actor'];
  for (const index of indexes) expect(used).toContain(index);
});

test('what nothing fits is searched piece by piece: no page looks at everything', async () => {
  const reader = new Reader({ dataDir: world.dataDir, partitions });
  const rare = { event: 'Rare', limit: 5 };
  const { list, events, candidates } = reader.messages;
  const pages = await Promise.all([
    ...[null, 'failed' as const].map((state) => list({ ...EVERYTHING, ...rare, state })),
    // An index has what was not processed; what was is among everything.
    list({ ...EVERYTHING, state: 'processed' }),
    events({ ...ANY_EVENT, ...rare }),
    events({ ...ANY_EVENT, ...rare, sourceId: 's' }),
    ...(['failed', 'all'] as const).map((state) => candidates({ ...CANDIDATES, ...rare, state })),
    ...[null, 'ada'].map((actor) =>
      accountsOf(reader).auditEntries({
        actor,
        action: 'token.',
        targetId: null,
        from: null,
        to: null,
        cursor: null,
        limit: 5,
      }),
    ),
  ]);
  reader.close();
  for (const page of pages) expect(page).toEqual({ items: [], next: expect.anything() });
});

test('what the writer is asked for costs it no search either', async () => {
  const options = {
    partitionLength: 2 * EVENTS,
    dedupeWindow: EVENTS,
    acceptLoss: false,
    idSeed: { high: 1, low: 2 },
    runSize: 16,
  };
  const statements = await statementsOf(() => {
    const writer = new Writer({ ...options, dataDir: world.dataDir, openedAt: begun });
    expect(writer.locating.newest('m1', ['s'], null)).toBe(1);
    expect(writer.locating.all('m1', null)).toEqual([1]);
    expect(writer.counts(['d'])).toHaveLength(1);
    expect(writer.totals()).toHaveLength(1);
    expect(writer.lanes()).toHaveLength(1);
    writer.close();
  });
  // What has no condition is read once, when the writer begins: names, lanes, counts.
  const asked = statements.filter((sql) => sql.includes('WHERE'));
  expect(slow(asked)).toEqual([]);
  for (const table of ['events', 'buckets']) expect(asked.join('\n')).toContain(`FROM ${table} WHERE`);
});
