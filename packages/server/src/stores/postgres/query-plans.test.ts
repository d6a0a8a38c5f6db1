import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Postgres, startPostgres } from '../../../../../test/cluster/postgres.ts';
import { EVENT_TYPES } from '../../core/event.ts';
import { BEYOND_ALL } from '../../core/position.ts';
import { sampleEvent } from '../../log/conformance.ts';
import { EVERYTHING, resultOf } from '../../record/conformance.ts';
import { ANY_EVENT, CANDIDATES } from '../../record/search-conformance.ts';
import { Dictionary } from '../relational/dictionary.ts';
import { Database } from './database.ts';
import { eraseRows, holdLanes, queueRest } from './erasing.ts';
import { postgresSql } from './sql.ts';
import { openWorld, type PostgresWorld } from './test-world.ts';
import { findUsers } from './user-search.ts';

const DAY = 86_400_000;
const DAYS = 3;
const EVENTS = 60_000;
/** The first of what was not settled, by its place in the last day. */
const WAITING = 50_000;
/** A statement reads at most so many rows: 20,000 deliveries with their events, what a search looks at before it answers, and a few. */
const MOST_ROWS = 45_000;

let postgres: Postgres;
let world: PostgresWorld;
let database: Database;
/** The time of the first event of the first day. */
let begun: number;
beforeAll(async () => {
  postgres = await startPostgres();
  world = await openWorld(postgres, { deadline: 60_000 });
  database = new Database({ url: world.url, connections: 1, deadline: 60_000 });
  begun = Math.floor(world.now() / DAY) * DAY;
  for (const source of ['s', 'other']) await world.log.openLane(source, 'd');
  for (let day = 0; day < DAYS; day++) {
    const entry = sampleEvent(day % 2 === 0 ? 's' : 'other', `first-${day}`, { receivedAt: begun + day * DAY });
    await world.log.append([entry]);
  }
  const [days] = await database.query<{ begins: number[] }>(
    'SELECT array_agg(begins ORDER BY begins) AS begins FROM partitions',
  );
  expect(days?.begins).toHaveLength(DAYS);
  // Written by SQL, because only the reads are looked at here: two thirds of one source, a tenth is no ordinary end.
  await database.query(
    `INSERT INTO events (position, received_at, source, type, message_id, name, user_id, anonymous_id)
     SELECT 1000 + d * ${EVENTS} + i, $1::bigint + d * ${DAY} + i * 1000, CASE WHEN i % 3 = 0 THEN o.number ELSE s.number END, 0,
       'm' || d || '-' || i, 'Common', 'u' || (i % 50), 'a' || (i % 5000)
     FROM generate_series(0, ${DAYS - 1}) d, generate_series(1, ${EVENTS}) i,
       (SELECT number FROM names WHERE name = 's') s, (SELECT number FROM names WHERE name = 'other') o`,
    [begun],
  );
  await database.query(
    `INSERT INTO deliveries (position, received_at, destination, lane, state, rounds, due_at, at, attempts)
     SELECT e.position, e.received_at, d.number, l.id, s.state, 1,
       CASE s.state WHEN 3 THEN e.received_at END, e.received_at, ''
     FROM events e JOIN lanes l ON l.source = e.source, (SELECT number FROM names WHERE name = 'd') d,
       LATERAL (SELECT CASE WHEN e.position % 11 = 0 THEN 1 + e.position / 11 % 3 ELSE 0 END AS state) s
     WHERE e.position < $1`,
    [1000 + (DAYS - 1) * EVENTS + WAITING],
  );
  await database.query('UPDATE shards SET through = $1', [1000 + DAYS * EVENTS]);
  await database.query('UPDATE lanes SET settled_through = $1', [1000 + (DAYS - 1) * EVENTS + WAITING - 1]);
}, 300_000);
afterAll(async () => {
  await database.close();
  await world.close();
  await postgres.stop();
}, 60_000);

interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The statement that began its transaction; null where it had none. */
  readonly begin: string | null;
}

/** Every statement about events and what became of them that is run meanwhile. */
async function statementsOf(run: () => Promise<void>): Promise<Asked[]> {
  const asked = vi.spyOn(Client.prototype, 'query');
  try {
    await run();
    const calls = asked.mock.calls as unknown as [unknown, unknown[] | undefined][];
    const begins = new Map<unknown, string | null>();
    const statements = calls.flatMap(([text, values = []], i) => {
      const client = asked.mock.contexts[i];
      if (typeof text === 'string' && /^(BEGIN|COMMIT)/.test(text))
        begins.set(client, text.startsWith('BEGIN') ? text : null);
      return typeof text === 'string' &&
        /\b(events|deliveries)\b/.test(text) &&
        /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)/.test(text)
        ? [{ text, values, begin: begins.get(client) ?? null }]
        : [];
    });
    return [...new Map(statements.map((statement) => [JSON.stringify(statement), statement])).values()];
  } finally {
    asked.mockRestore();
  }
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Rows that a node read of a table that grows. */
function readBy(node: PlanNode): number {
  if (!/^(events|deliveries)_\d+$/.test(node['Relation Name'] ?? '')) return 0;
  const each =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return each * node['Actual Loops'];
}

const UNDONE = new Error('undone');

/** Runs a statement, undoes it, and answers what it did. */
async function planOf({ text, values, begin }: Asked): Promise<PlanNode[]> {
  let nodes: PlanNode[] = [];
  await database
    .transaction(async (queries) => {
      if (begin) await queries.query(begin.replace('BEGIN', 'SELECT'));
      const [row] = await queries.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        values,
      );
      nodes = row ? nodesOf(row['QUERY PLAN'][0].Plan) : [];
      throw UNDONE;
    })
    .catch((error: unknown) => {
      if (error !== UNDONE) throw error;
    });
  return nodes;
}

/** Those of the statements that read a whole table that grows, or too many rows of one, in words. */
async function slow(statements: readonly Asked[]): Promise<string[]> {
  const found: string[] = [];
  for (const asked of statements) {
    const nodes = await planOf(asked);
    const read = nodes.reduce((sum, node) => sum + readBy(node), 0);
    const scans = nodes.filter((node) => node['Node Type'] === 'Seq Scan' && readBy(node) > 1_000);
    if (read <= MOST_ROWS && scans.length === 0) continue;
    found.push(
      `${read} rows, ${scans.length} whole tables: ${asked.text.replace(/\s+/g, ' ')} ${JSON.stringify(asked.values).slice(0, 200)}`,
    );
  }
  return found;
}

/** What the pages of the interface ask for, in every way they can. */
async function askEverything(): Promise<void> {
  const { deliveries } = world;
  const times = { from: begun + DAY, to: begun + 2 * DAY };
  for (const filter of [
    {},
    { event: 'Common' },
    { userId: 'u1' },
    times,
    { event: 'Common', userId: 'u1', ...times },
  ]) {
    for (const state of [null, 'failed', 'filtered', 'retrying'] as const) {
      for (const destinationId of [null, 'd']) {
        const page = await deliveries.list({ ...EVERYTHING, ...filter, state, destinationId, limit: 5 });
        expect(page.items).toHaveLength(5);
      }
    }
    for (const sourceId of [null, 's']) {
      for (const type of [null, EVENT_TYPES[0]]) {
        expect((await deliveries.events({ ...ANY_EVENT, ...filter, sourceId, type, limit: 5 })).items).toHaveLength(5);
      }
    }
    for (const state of ['failed', 'all'] as const) {
      expect((await deliveries.candidates({ ...CANDIDATES, ...filter, state, limit: 5 })).items).toHaveLength(5);
    }
  }
  expect((await deliveries.events({ ...ANY_EVENT, messageId: 'm1-7', limit: 5 })).items).toHaveLength(1);
  expect(await deliveries.deliveriesOf(5_000)).toHaveLength(1);
  expect(await deliveries.statesOf([5_000, 5_001])).toHaveLength(2);
  expect((await deliveries.oldestWaiting(['d'])).size).toBe(1);
  await deliveries.counts(['d']);
}

// A partition has none in its first minutes, and false ones while it grows.
describe.each(['without statistics', 'with statistics'])('%s', (statistics) => {
  beforeAll(async () => {
    if (statistics === 'with statistics') await database.query('ANALYZE');
  });

  test('no query behind the interface reads a whole table that grows', async () => {
    const statements = await statementsOf(askEverything);
    expect(statements.length).toBeGreaterThan(20);
    expect(await slow(statements)).toEqual([]);
  }, 120_000);

  test('what nothing fits is searched piece by piece', async () => {
    const rare = { event: 'Rare', limit: 5 };
    const { deliveries } = world;
    const statements = await statementsOf(async () => {
      for (const state of [null, 'failed'] as const) await deliveries.list({ ...EVERYTHING, ...rare, state });
      for (const sourceId of [null, 's']) await deliveries.events({ ...ANY_EVENT, ...rare, sourceId });
      for (const state of ['failed', 'all'] as const) await deliveries.candidates({ ...CANDIDATES, ...rare, state });
    });
    expect(await slow(statements)).toEqual([]);
  }, 120_000);

  test('neither does what takes in, delivers, retries and removes', async () => {
    const { store, deliveries, log } = world;
    const statements = await statementsOf(async () => {
      const now = begun + DAYS * DAY - 1;
      const owner = 'u1';
      await store.index.known(
        's',
        [
          { messageId: 'm2-1', owner },
          { messageId: 'new', owner },
        ],
        begun,
      );
      await store.index.find('m2-1', ['s']);
      const middle = { receivedAt: begun + DAY + 30_000_000, position: 0 };
      expect(await store.index.newest(middle, 20_000, 1_024)).toMatchObject({ events: 20_000 });
      await log.append([sampleEvent('s', 'taken', { receivedAt: now })]);
      const [lane] = await log.lanes();
      if (!lane) throw new Error('no lane');
      const last = 1_000 + DAYS * EVENTS;
      await store.index.taken(
        lane.id,
        Array.from({ length: 1_000 }, (_, i) => last - 1_000 + i),
      );
      const entries = Array.from({ length: 500 }, (_, i) => ({
        ...sampleEvent('s', `m2-${WAITING + i}`, { receivedAt: begun + 2 * DAY + (WAITING + i) * 1_000 }),
        position: last - 5_000 + i,
      }));
      await deliveries.settle(entries.map((entry) => resultOf(lane, entry)));
      // Again: what is written is compared with what is there.
      await deliveries.settle(entries.map((entry) => resultOf(lane, entry, { rounds: 2 })));
      await deliveries.claimDue('d', now, 100);
      await deliveries.due(now);
      const failed = Array.from({ length: 500 }, (_, i) => 1_001 + 11 * i);
      await deliveries.requeue(
        'd',
        failed.map((position) => ({ position, dueAt: now })),
        'r1',
      );
      const sought = { ids: ['u1', 'u2'], anonymousIds: [], placeholderIds: undefined };
      const offsets = { after: 1_000, through: [last] };
      await findUsers(database, new Dictionary(postgresSql(database)), sought, offsets);
      await database.transaction(
        async (queries) => {
          const batches = [
            { first: 20_000, last: 20_500 },
            { first: last - 900, last: last - 600 },
          ];
          await holdLanes(queries, batches);
          await eraseRows(queries, [20_001, 20_002, last - 800, last - 10], 0, now);
          await queueRest(queries, batches, { slot: 0, now, dueAt: now });
        },
        { byIndex: true },
      );
      // Each day has something in a retry queue, so none is dropped.
      expect(await store.retention.expire(begun + (DAYS + 1) * DAY)).toBe(0);
      expect(await store.index.countAfter(last - 500, BEYOND_ALL)).toBe(500);
    });
    expect(statements.length).toBeGreaterThan(6);
    expect(await slow(statements)).toEqual([]);
  }, 120_000);
});
