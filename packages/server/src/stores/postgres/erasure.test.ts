import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  type JetStreamWorld,
  openLogWorld,
  type Servers,
  startServers,
} from '../../../../../test/cluster/log-world.ts';
import { needNats } from '../../../../../test/cluster/nats.ts';
import { connected } from '../../../../../test/cluster/postgres.ts';
import type { Event, LogEntry, Position } from '../../core/event.ts';
import { FORMER_PEOPLE, type Lane } from '../../core/lane.ts';
import { sampleEvent, take } from '../../log/conformance.ts';
import type { BatchedStream } from '../../log/stream-index.ts';
import { resultOf } from '../../record/conformance.ts';
import { countsOf } from '../../record/test-counts.ts';
import { erasureConformance } from '../../regulations/conformance.ts';
import type { FoundEvent } from '../../regulations/contract.ts';
import { openPostgresStore } from './store.ts';

const nats = await needNats();

let servers: Servers;
beforeAll(async () => {
  if (nats) servers = await startServers();
}, 120_000);
afterAll(() => servers?.stop(), 120_000);

erasureConformance('PostgreSQL with JetStream', () => openLogWorld(servers));

let world: JetStreamWorld;
beforeEach(async ({ skip }) => {
  skip(!nats, 'there is no nats-server');
  world = await openLogWorld(servers);
});
afterEach(() => world.close());

const NEVER = new AbortController().signal;
const LATER = Number.MAX_SAFE_INTEGER;

/** Events of one call, which is one batch: those of `gone` are a user's, the others another user's. */
async function append(ids: readonly string[], gone: readonly string[], more: Partial<Event> = {}): Promise<LogEntry[]> {
  await world.log.append(
    ids.map((id) => {
      const userId = gone.includes(id) ? 'user-GONE' : 'somebody';
      const words = { userId, name: `by ${userId}`, integrations: `{"${userId}":true}`, unsent: `{"x":"${userId}"}` };
      const body = new TextEncoder().encode(JSON.stringify({ userId, text: `${id} of ${userId}` }));
      return { ...sampleEvent('s', id, { receivedAt: world.now(), ...words, body }), ...more };
    }),
  );
  // A rewriting that waits for a table holds the index up meanwhile: then nothing is found, and the log says so.
  const find = (id: string) => vi.waitFor(() => world.log.find(id, [more.sourceId ?? 's']), { timeout: 20_000 });
  return (await Promise.all(ids.map(find))).filter((entry) => entry !== undefined);
}

async function found(...ids: string[]): Promise<readonly FoundEvent[]> {
  return (await world.erasure.find(ids, 0, await world.erasure.end())).events;
}

const erase = async (): Promise<void> => world.erasure.erase(await found('user-GONE'));

const claimed = async (): Promise<string[]> => (await world.queued('d')).map(({ messageId }) => messageId).sort();

async function database<T>(work: (client: Client) => Promise<T>): Promise<T> {
  await using client = await connected(world.database);
  await client.query('SET search_path TO millrace');
  return await work(client);
}

/** Files below a folder that hold a text anywhere; the journals of PostgreSQL are not among them. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !file.parentPath.includes('pg_wal'))
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => contentOf(path).includes(text));
}

/** PostgreSQL removes files of its own at any time: one that is gone by now holds nothing. */
function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

const numbered = (count: number, begin = 0): string[] => Array.from({ length: count }, (_, i) => `m${begin + i}`);

/** The state that follows from all of a lane's events: the counts must say the same. */
async function stateOf(lane: Lane): Promise<Record<string, number>> {
  return database(async (client) => {
    const { rows } = await client.query<{ state: number; count: string }>(
      'SELECT state, count(*) FROM deliveries WHERE lane = $1 GROUP BY state',
      [lane.id],
    );
    const of = (state: number): number => Number(rows.find((row) => row.state === state)?.count ?? 0);
    return { processed: of(0), failed: of(1), filtered: of(2), retrying: of(3) };
  });
}

test('no file of NATS or PostgreSQL holds what was removed', async (context) => {
  const [nats, postgres] = [servers.nats.folder, servers.postgres.folder];
  if (!nats || !postgres) return context.skip('The files of a server that was given are out of reach.');
  const filesOf = (text: string): string[] => [...filesWith(nats, text), ...filesWith(postgres, text)];
  // The statistics of ANALYZE keep ids out of reach of a compaction (docs/operations.md). Nothing begins one here.
  await database((client) => client.query('ALTER SYSTEM SET autovacuum = off'));
  await database((client) => client.query('SELECT pg_reload_conf()'));
  const lane = await world.log.openLane('s', 'd');
  for (let batch = 0; batch < 12; batch++) {
    // Batches without the user keep the stream's file in place.
    await append([`before ${batch}`, `beside ${batch}`], [], { sourceId: 'other', unsent: 'x'.repeat(20_000) });
    const ids = numbered(50, batch * 50);
    const entries = await append(ids, batch === 3 ? ids : ids.filter((_, i) => i % 7 === 0));
    for (let round = 1; round <= 3; round++) {
      await world.deliveries.settle(
        entries.slice(0, 40).map((entry) => {
          const answer = `you sent ${entry.userId}`;
          const attempt = { url: 'https://a.example/', at: 1, ms: 1, status: 500, error: null, detail: null, answer };
          const more = { rounds: round, dueAt: 5000, urlsLeft: [], attempts: [attempt] };
          return resultOf(lane, entry, { ...more, state: 'retrying' });
        }),
      );
    }
  }
  await world.regulations.create(
    {
      id: 'reg_1',
      regulationType: 'SUPPRESS_WITH_DELETE',
      step: 'finished',
      createdAt: 1,
      finishedAt: 2,
      users: 1,
      through: [1],
      after: 1,
      events: { found: 0, erased: 0 },
      notices: { total: 0, ended: 0, failed: 0 },
    },
    ['user-GONE', 'user-STAYS'],
  );
  await database((client) => client.query('CHECKPOINT'));
  expect(filesWith(nats, 'user-GONE')).not.toEqual([]);
  expect(filesWith(postgres, 'user-GONE')).not.toEqual([]);

  // In two goes, so that what is left of a batch is replaced too; what is compressed could not be looked for.
  await database((client) => client.query('ALTER TABLE replaced_packs_1 ALTER bytes SET STORAGE EXTERNAL'));
  const events = await found('user-GONE');
  await world.erasure.erase(events.filter((_, i) => i % 2 === 0));
  await database((client) => client.query('CHECKPOINT'));
  await world.erasure.erase(events);
  await world.regulations.delete('reg_1');
  await world.regulations.lift('user-GONE');
  await world.erasure.purge(NEVER);
  await database((client) => client.query('CHECKPOINT'));
  expect(filesOf('user-GONE')).toEqual([]);
  expect(filesOf('user-STAYS')).not.toEqual([]);
  expect(await world.regulations.suppressions()).toMatchObject([{ userId: 'user-STAYS' }]);

  // Everything else is as it was.
  expect(await countsOf(world, 'd')).toEqual({
    ...{ accepted: 600, filtered: events.length, waiting: 600 - events.length },
    ...{ retrying: 600 - events.length, processed: 0, failed: 0 },
  });
  expect(await stateOf(lane)).toMatchObject({ filtered: events.length, retrying: 600 - events.length });
  const { items } = await world.deliveries.claimDue('d', LATER, 1000);
  expect(items).toHaveLength(600 - events.length);
  for (const { entry } of items)
    expect(new TextDecoder().decode(entry.body)).toContain(`${entry.messageId} of somebody`);
  expect(await database((client) => client.query('SELECT FROM stale_tables'))).toMatchObject({ rowCount: 0 });
  const again = events.map(({ position }) => ({ position, dueAt: 1 }));
  expect((await world.deliveries.requeue('d', again, 'r')).put).toBe(0);
  const all = { event: null, userId: null, error: null, from: null, to: null, after: 0, limit: 1000 };
  const candidates = await world.deliveries.candidates({ destinationId: 'd', state: 'all', sourceIds: ['s'], ...all });
  expect(candidates.items).toHaveLength(600 - events.length);
  expect((await world.log.scan(0, 1000)).positions).toHaveLength(24 + 600 - events.length);
});

test('a removal, outcomes and a replay of the same batches wait for each other, and none fails', async () => {
  const lane = await world.log.openLane('s', 'd');
  const [, settled, , ...failed] = await append(numbered(5), ['m0', 'm3']);
  if (!settled) throw new Error('There are five.');
  await world.log.caughtUp();
  await world.deliveries.settle(failed.map((entry) => resultOf(lane, entry, { state: 'failed' })));
  await database(async (client) => {
    // It stands still where it has ended what waited and comes to the rest of the batch.
    await client.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NEW; END $$;
      CREATE TRIGGER wait BEFORE INSERT ON replaced_packs FOR EACH ROW EXECUTE FUNCTION wait();
      SELECT pg_advisory_lock(42)`);
    const waiters = async () => (await client.query('SELECT pid FROM pg_locks WHERE NOT granted')).rows.length;
    const erasing = erase();
    await expect.poll(waiters).toBe(1);
    const items = failed.map(({ position }) => ({ position, dueAt: 1 }));
    const beside = [world.deliveries.settle([resultOf(lane, settled)]), world.deliveries.requeue('d', items, 'r')];
    await expect.poll(waiters).toBe(3);
    await client.query('SELECT pg_advisory_unlock(42)');
    await Promise.all([erasing, ...beside]);
  });
  expect(await stateOf(lane)).toEqual({ processed: 1, failed: 1, filtered: 1, retrying: 2 });
  expect(await countsOf(world, 'd')).toMatchObject({ processed: 1, failed: 1, filtered: 1, retrying: 2 });
});

test('a lane keeps the other events of a batch: half settled, in hand, or not begun', async () => {
  const lane = await world.log.openLane('s', 'd');
  const half = await append(['a', 'b', 'GONE-1', 'c'], ['GONE-1']);
  const reader = world.log.read(lane.id);
  const inHand = await take(reader, 4);
  const [a] = half;
  if (!a) throw new Error('Nothing was appended.');
  await world.settle(lane, [a]);
  reader.ack([a.position]);
  await append(['d', 'GONE-2'], ['GONE-2']);
  await append(['e'], []);
  await erase();
  // What was in hand is sent all the same, but what was removed has ended before.
  await world.settle(
    lane,
    inHand.filter(({ messageId }) => messageId === 'b' || messageId === 'GONE-1'),
  );
  expect((await take(reader, 1)).map(({ messageId }) => messageId)).toEqual(['e']);
  expect(await claimed()).toEqual(['c', 'd']);
  expect(await countsOf(world, 'd')).toEqual({
    ...{ accepted: 7, processed: 2, filtered: 2, failed: 0, retrying: 2, waiting: 3 },
  });
  // One of its seven events still waits in it.
  expect(await stateOf(lane)).toEqual({ processed: 2, failed: 0, filtered: 2, retrying: 2 });
});

test('a lane that has ended finds the rest of its last batch, and counts it', async () => {
  const lane = await world.log.openLane('s', 'd');
  await append(['a'], []);
  await append(['b', 'GONE'], ['GONE']);
  await erase();
  await world.log.endLane(lane.id);
  await append(['later'], []);
  const reader = world.log.read(lane.id);
  expect((await take(reader, 1)).map(({ messageId }) => messageId)).toEqual(['a']);
  expect(await claimed()).toEqual(['b']);
  expect(await countsOf(world, 'd')).toMatchObject({ accepted: 3, filtered: 1, waiting: 2, retrying: 1 });
});

test('every node lets go of what one removes, whatever it had in memory', async () => {
  const lane = await world.log.openLane('s', 'd');
  const other = await world.anotherNode();
  const stop = new AbortController();
  const pages = await other.log.follow(stop.signal);
  await append(['a', 'GONE', 'b'], ['GONE']);
  const [entry] = await found('user-GONE');
  const position = entry?.position ?? 0;
  await other.log.lanes();
  const reader = other.log.read(lane.id);
  expect((await take(reader, 1)).map(({ messageId }) => messageId)).toEqual(['a']);
  expect((await other.log.fetch([position]))[0]?.userId).toBe('user-GONE');
  const told = Promise.withResolvers<ReadonlySet<Position>>();
  other.erasure.watch((positions) => told.resolve(positions));
  await erase();
  expect(await told.promise).toEqual(new Set([position]));
  expect(await other.log.fetch([position])).toEqual([undefined]);
  await append(['next'], []);
  expect((await take(reader, 1)).map(({ messageId }) => messageId)).toEqual(['next']);
  for await (const { entries } of pages) {
    expect(entries.map(({ messageId }) => messageId)).not.toContain('GONE');
    if (entries.some(({ messageId }) => messageId === 'next')) break;
  }
  stop.abort();
});

test('notices have batches of their own, so that their removal leaves the batches of calls alone', async () => {
  await world.log.append([
    sampleEvent('s', 'a', { receivedAt: world.now() }),
    sampleEvent('s', 'n', { receivedAt: world.now(), type: 'delete', userId: 'user-GONE' }),
    sampleEvent('s', 'b', { receivedAt: world.now() }),
  ]);
  const [a, n, b] = await Promise.all(['a', 'n', 'b'].map((id) => world.log.find(id, ['s'])));
  const batches = [a, n, b].map((entry) => world.log.batchOf(entry?.position ?? 0).first);
  expect(new Set(batches).size).toBe(3);
});

test('the search is paged through every shard, and what comes after its end is left alone', async () => {
  await world.close();
  world = await openLogWorld(servers, { shards: 4 });
  const sources = ['s', 't', 'u', 'v', 'w', 'x', 'y', 'z'];
  const appendAll = (id: string) =>
    world.log.append(
      sources.map((source) => sampleEvent(source, id, { receivedAt: world.now(), userId: 'user-GONE' })),
    );
  await appendAll('before');
  const end = await world.erasure.end();
  await appendAll('after');
  await world.erasure.end();
  // The node that goes on with the search has not heard of its end before.
  const { erasure } = await world.anotherNode();
  const events: FoundEvent[] = [];
  for (let after: Position | null = 0; after !== null; ) {
    const page = await erasure.find(['user-GONE'], after, end);
    events.push(...page.events);
    after = page.next;
  }
  expect(new Set(events.map(({ position }) => Math.floor(position / 2 ** 49))).size).toBeGreaterThan(1);
  expect(events.map(({ sourceId }) => sourceId).sort()).toEqual(sources);
});

/** The stream of a node that dies at its n-th use. */
function dyingAt(log: BatchedStream, step: number): BatchedStream {
  let steps = 0;
  const live = <T>(work: () => T): T => {
    if (++steps > step) throw new Error('The node has died.');
    return work();
  };
  return {
    caughtUp: async () => live(() => log.caughtUp()),
    batchOf: (position) => log.batchOf(position),
    reduce: async (batch, without) => live(() => log.reduce(batch, without)),
    forget: (batches, positions) => live(() => log.forget(batches, positions)),
    async deleteBatches(batches) {
      await live(() => log.deleteBatches(batches.slice(0, 1)));
      await live(() => log.deleteBatches(batches));
      live(() => undefined);
    },
    beginnings: () => log.beginnings(),
  };
}

test('a node that goes on after one that died at any step ends what that one began', async () => {
  const lane = await world.log.openLane('s', 'd');
  for (let step = 0; ; step++) {
    const ids = numbered(6, step * 6);
    await append(ids.slice(0, 3), ids.slice(1, 2));
    await append(ids.slice(3), ids.slice(4, 5));
    const before = await found('user-GONE');
    expect(before).toHaveLength(2);
    const store = await openPostgresStore({ url: world.database, clock: { ...CLOCK }, failed: () => undefined });
    store.deliveries(world.log);
    let died = false;
    try {
      await store.erasure(dyingAt(world.log, step)).erase(before);
    } catch (error) {
      expect(String(error)).toContain('died');
      died = true;
    }
    await store.close();
    // Either does what is left of the first.
    await (step % 2 === 0 ? world.erasure.erase([]) : world.erasure.purge(NEVER));
    const noted = await database((client) => client.query('SELECT FROM erased_packs WHERE NOT deleted'));
    expect(noted.rowCount).toBe(0);
    await world.erasure.erase(await found('user-GONE'));
    await world.erasure.purge(NEVER);
    expect(await world.log.fetch(before.map(({ position }) => position))).toEqual([undefined, undefined]);
    const count = (step + 1) * 6;
    expect(await countsOf(world, 'd')).toMatchObject({
      accepted: count,
      filtered: count / 3,
      retrying: (count / 3) * 2,
    });
    expect(await stateOf(lane)).toMatchObject({ filtered: count / 3, retrying: (count / 3) * 2 });
    if (!died) {
      expect(step).toBeGreaterThan(5);
      return;
    }
  }
});

const CLOCK = { now: () => 1_800_000_000_000, after: () => () => undefined };

/** Aborts when it is looked at for the n-th time. */
function abortingAt(n: number): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  let looks = 0;
  signal.throwIfAborted = () => {
    if (++looks >= n) controller.abort();
    AbortSignal.prototype.throwIfAborted.call(signal);
  };
  return signal;
}

test('a purge that is cut off anywhere holds up nothing, and the next one ends it', async () => {
  const lane = await world.log.openLane('s', 'd');
  let appended = 0;
  for (let step = 2; ; step++) {
    const entries = await append(numbered(3, appended), [`m${appended}`]);
    appended += 3;
    await world.settle(lane, entries.slice(1));
    await erase();
    let cut = false;
    await world.erasure.purge(abortingAt(step)).catch(() => {
      cut = true;
    });
    // Rows are written and changed as ever beside what it left.
    const after = await append([`m${appended}`], []);
    appended += 1;
    await world.settle(lane, after);
    await world.deliveries.requeue(
      'd',
      after.map(({ position }) => ({ position, dueAt: 1 })),
      'r',
    );
    await world.settle(lane, after);
    await world.erasure.purge(NEVER);
    const tables = await database((client) =>
      client.query(`SELECT FROM pg_tables WHERE tablename LIKE '%\\_copy' OR tablename LIKE '%\\_changes'`),
    );
    expect(tables.rowCount).toBe(0);
    const filtered = appended / 4;
    expect(await stateOf(lane)).toMatchObject({ processed: appended - filtered, filtered, retrying: 0 });
    expect(await countsOf(world, 'd')).toMatchObject({ accepted: appended, processed: appended - filtered, filtered });
    if (!cut) return;
  }
});

test('a table is written anew while others read and write it, and no change is missed', async () => {
  const lane = await world.log.openLane('s', 'd');
  const first = await append(numbered(500), numbered(1));
  const attempt = { url: 'https://a.example/', at: 1, ms: 1, status: 200, error: null, detail: null, answer: 'ok' };
  await world.deliveries.settle(first.map((entry) => resultOf(lane, entry, { attempts: [attempt] })));
  await erase();
  await using reader = await connected(world.database);
  await reader.query('BEGIN');
  await reader.query('SELECT FROM millrace.deliveries');
  await reader.query('SELECT FROM millrace.events');
  let purged = false;
  const purge = world.erasure.purge(NEVER).then(() => {
    purged = true;
  });
  // The copies are there: what changes from now on is no longer in them.
  const copies = () =>
    database((client) => client.query(`SELECT FROM pg_trigger WHERE tgname = 'rewriting' AND NOT tgisinternal`));
  while ((await copies()).rowCount === 0);
  const more = await append(numbered(100, 500), []);
  await world.deliveries.requeue(
    'd',
    first.slice(1, 200).map(({ position }) => ({ position, dueAt: 1 })),
    'r',
  );
  await world.settle(lane, more);
  await world.settle(lane, first.slice(1, 100));
  expect(purged).toBe(false);
  await reader.query('ROLLBACK');
  await purge;
  expect(await stateOf(lane)).toEqual({ processed: 500, failed: 0, filtered: 0, retrying: 100 });
  expect(await countsOf(world, 'd')).toMatchObject({ accepted: 600, processed: 500, retrying: 100 });
  expect(await world.log.find('m599', ['s'])).toMatchObject({ messageId: 'm599' });
  expect(await claimed()).toHaveLength(100);
});

test('what the stream has dropped fails, in the retry queue and in its lane, and is counted', async () => {
  const lane = await world.log.openLane('s', 'd');
  const [queued, waits] = [await append(['a', 'b'], []), await append(['c', 'd', 'e'], [])];
  await append(['f'], []);
  await world.deliveries.settle(
    queued.map((entry) => resultOf(lane, entry, { state: 'retrying', rounds: 1, dueAt: 1, urlsLeft: [] })),
  );
  await world.log.deleteBatches([queued, waits].map(([entry]) => world.log.batchOf(entry?.position ?? 0).first));
  // This node has read them before, and another one has not.
  const other = await world.anotherNode();
  const { items, gone = [] } = await other.deliveries.claimDue('d', LATER, 10);
  expect(items).toEqual([]);
  expect(gone.map(({ entry: { messageId, body } }) => [messageId, body.byteLength])).toEqual([
    ['a', 0],
    ['b', 0],
  ]);
  await world.deliveries.settle(
    gone.map(({ entry }) => resultOf(lane, entry, { state: 'failed', reason: 'retention_ended', rounds: 1 })),
  );
  expect(await world.retention.expire(0)).toBe(0);
  expect(await countsOf(world, 'd')).toEqual({
    ...{ accepted: 6, processed: 0, failed: 5, filtered: 0, waiting: 1, retrying: 0 },
  });
  expect(world.lost).toEqual([{ sourceId: 's', destinationId: 'd', messages: 3 }]);
});

test('what the stream dropped before it was counted is told, and the index goes on behind it', async () => {
  await append(['a'], []);
  await world.reopen({ lead: () => async () => undefined });
  await world.log.append(['b', 'c'].map((id) => sampleEvent('s', id, { receivedAt: world.now() })));
  const last = (await world.log.scan(0, 10)).positions.at(-1);
  await world.log.deleteBatches(Array.from({ length: 2 }, (_, i) => world.log.batchOf((i + 1) * 1024).first));
  expect(world.log.batchOf(last ?? 0).first).toBe(2 * 1024);
  for (let node = 0; node < 2; node++) {
    await world.reopen();
    await world.log.caughtUp();
    const lost = world.reports.map(String).filter((report) => report.includes('of its batches before any node'));
    expect(lost).toEqual([expect.stringContaining('lost 1 of its batches')]);
  }
  expect((await world.log.totals()).get('s')).toEqual({ accepted: 1, duplicates: 0 });
  expect(await append(['d'], [])).toHaveLength(1);
});

test('lanes by which an earlier version read the log for people are not listed, and hold no partition back when they are gone', async () => {
  await world.log.openLane('s', FORMER_PEOPLE);
  expect(await world.log.lanes()).toEqual([]);
  const store = await openPostgresStore({ url: world.database, clock: { ...CLOCK }, failed: () => undefined });
  await store.removeFormerLanes();
  await store.close();
  const lane = await world.log.openLane('s', 'd');
  const entries = await append(['a', 'b'], []);
  const later = world.now() + 10 * 24 * 60 * 60 * 1000;
  expect(await world.retention.expire(later)).toBe(0);
  await world.settle(lane, entries);
  expect(await world.retention.expire(later)).toBe(1);
});
