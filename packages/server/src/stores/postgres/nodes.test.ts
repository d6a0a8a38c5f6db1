import type { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connected } from '../../../../../test/cluster/postgres.ts';
import { sharedPostgres } from '../../../../../test/cluster/shared-postgres.ts';
import { HandClock } from '../../../../../test/hand-clock.ts';
import { Random } from '../../../../../test/simulation/random.ts';
import { eventually } from '../../../../../test/system/kit/eventually.ts';
import { newSeed } from '../../../../../test/system/kit/random.ts';
import { noticeOf } from '../../alerts/announce.ts';
import { incident } from '../../alerts/conformance.ts';
import type { DeliveryResult, DeliveryState } from '../../core/delivery.ts';
import type { LogEntry } from '../../core/event.ts';
import type { Lane } from '../../core/lane.ts';
import type { Source } from '../../core/source.ts';
import { listAll, resultOf } from '../../record/conformance.ts';
import type { Regulation } from '../../regulations/contract.ts';
import { Settings } from '../../settings/settings.ts';
import type { LeadOptions } from './leadership.ts';
import type { PostgresStoreOptions } from './store.ts';
import { entriesAt, openNode, type TestNode } from './test-node.ts';

const postgres = await sharedPostgres();
let url: string;
let admin: Client;
let nodes: TestNode[] = [];

beforeEach(async () => {
  url = await postgres.migratedDatabase();
  admin = await connected(url);
});
afterEach(async () => {
  await Promise.all(nodes.map(({ store }) => store.close()));
  nodes = [];
  await admin.end();
});

async function open(entries: readonly LogEntry[] = [], options: Partial<PostgresStoreOptions> = {}): Promise<TestNode> {
  const node = await openNode(url, entries, options);
  nodes.push(node);
  return node;
}

/** A lane that holds these entries. */
async function laneOf({ store }: TestNode, entries: readonly LogEntry[]): Promise<Lane> {
  const lane = await store.index.openLane('s', 'd', 0);
  await store.index.add(0, entries, entries.at(-1)?.position ?? 0, []);
  return lane;
}

/** The server processes that wait for a lock. */
const WAITING = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

test('batches are compressed where every living node reads that, and not while one of an earlier version lives', async () => {
  const [row] = (await admin.query('INSERT INTO millrace.nodes (seen_at) VALUES (now()) RETURNING id')).rows;
  const node = await open();
  expect(node.store.index.layout()).toBe(1);
  await admin.query('DELETE FROM millrace.nodes WHERE id = $1', [row.id]);
  await node.store.peers.living();
  expect(node.store.index.layout()).toBe(2);
});

describe('the retry queue', () => {
  const queued = (lane: Lane, entries: readonly LogEntry[]): DeliveryResult[] =>
    entries.map((entry, i) => resultOf(lane, entry, { state: 'retrying', dueAt: i, urlsLeft: [] }));

  test('hands each message to one of several nodes that ask at once', async () => {
    const entries = entriesAt(numbers(200));
    const all = [await open(entries), await open(entries), await open(entries)];
    const [first] = all as [TestNode];
    await first.deliveries.settle(queued(await laneOf(first, entries), entries));
    const claims = await Promise.all(
      numbers(10).flatMap(() => all.map((node) => node.deliveries.claimDue('d', 1000, 8))),
    );
    const positions = claims.flatMap(({ items }) => items.map(({ entry }) => entry.position));
    expect(positions.toSorted((a, b) => a - b)).toEqual(numbers(200));
  });

  test.each([{ of: numbers(2) }, { of: 5 }])(
    'makes due what another node has locked at that moment, and knows when it is due ($of)',
    async ({ of }) => {
      const entries = entriesAt(numbers(2));
      const node = await open(entries);
      const results = queued(await laneOf(node, entries), entries);
      await node.deliveries.settle(results.map((result) => ({ ...result, dueAt: 5000 })));
      await using other = await connected(url);
      await other.query('BEGIN; SELECT FROM millrace.deliveries FOR UPDATE');
      expect(await node.deliveries.claimDue('d', 1000, 10)).toEqual({ items: [], nextDueAt: 5000 });
      const hastening = node.deliveries.hasten('d', 1000, of);
      await eventually(
        async () => (await admin.query(WAITING)).rows,
        ({ length }) => length === 1,
      );
      await other.query('COMMIT');
      expect(await hastening).toBe(2);
      expect((await node.deliveries.claimDue('d', 1000, 10)).items).toHaveLength(2);
    },
  );

  test('has back what a node that is not seen any more had, and no sooner', async () => {
    const entries = entriesAt(numbers(4));
    const [dying, living] = [await open(entries), await open(entries)];
    await dying.deliveries.settle(queued(await laneOf(dying, entries), entries));
    expect((await dying.deliveries.claimDue('d', 1000, 10)).items).toHaveLength(4);
    expect(await living.deliveries.claimDue('d', 1000, 10)).toEqual({ items: [], nextDueAt: null });
    expect(await living.deliveries.due(1000)).toEqual([]);
    await admin.query(
      `UPDATE millrace.nodes SET seen_at = now() - interval '31 seconds' WHERE id = (SELECT min(id) FROM millrace.nodes)`,
    );
    expect(await living.deliveries.due(1000)).toEqual(['d']);
    expect((await living.deliveries.claimDue('d', 1000, 10)).items).toHaveLength(4);
  });

  test('has back what was claimed by a call whose answer was lost', async () => {
    const entries = entriesAt(numbers(3));
    let broken = true;
    const node = await open();
    await node.deliveries.settle(queued(await laneOf(node, entries), entries));
    const deliveries = node.store.deliveries({
      fetch: async (positions) => {
        if (broken) throw new Error('The stream is away.');
        return positions.map((position) => entries.find((entry) => entry.position === position));
      },
      indexed: async () => undefined,
    });
    await expect(deliveries.claimDue('d', 1000, 2)).rejects.toThrow('away');
    broken = false;
    expect((await deliveries.claimDue('d', 1000, 10)).items).toHaveLength(3);
  });

  test('has back what such a call had claimed of many piece by piece, and the rest after a piece that failed', async () => {
    const entries = entriesAt(numbers(12_000));
    const [node, other] = [await open(), await open(entries)];
    await node.deliveries.settle(queued(await laneOf(node, entries), entries));
    await using holder = await connected(url);
    let broken = true;
    const deliveries = node.store.deliveries({
      async fetch(positions) {
        if (!broken) return positions.map((position) => entries[position - 1]);
        await holder.query('BEGIN');
        await holder.query('SELECT FROM millrace.deliveries WHERE position = 7000 FOR UPDATE');
        throw new Error('The stream is away.');
      },
      indexed: async () => undefined,
    });
    const claim = async ({ deliveries }: Pick<TestNode, 'deliveries'>): Promise<number> =>
      (await deliveries.claimDue('d', 20_000, 12_000)).items.length;
    const claiming = expect(claim({ deliveries })).rejects.toThrow('away');
    const cancelWaiting = async (): Promise<void> => {
      const [blocked] = await eventually(
        async () => (await admin.query<{ pid: number }>(WAITING)).rows,
        ({ length }) => length === 1,
      );
      await admin.query('SELECT pg_cancel_backend($1)', [blocked?.pid]);
    };
    await cancelWaiting();
    await claiming;
    broken = false;
    expect(await claim(other)).toBe(0);
    const again = expect(claim({ deliveries })).rejects.toThrow();
    await cancelWaiting();
    await again;
    expect(await claim(other)).toBe(5_000);
    await holder.query('ROLLBACK');
    expect(await claim({ deliveries })).toBe(7_000);
  });
});

test('counts add up, whatever several nodes record of the same events at the same time', async () => {
  const seed = newSeed();
  const random = new Random(seed);
  const entries = entriesAt(numbers(300));
  const all = [await open(entries), await open(entries)];
  const [first] = all as [TestNode];
  const lane = await laneOf(first, entries);
  const states: readonly DeliveryState[] = ['processed', 'failed', 'filtered', 'retrying'];
  await Promise.all(
    all.map(async ({ deliveries }) => {
      for (let n = 0; n < 40; n++) {
        const batch = Array.from({ length: random.int(1, 40) }, () => {
          const state = random.pick(states);
          const dueAt = state === 'retrying' ? 1 : null;
          return resultOf(lane, random.pick(entries), { state, dueAt, rounds: random.int(1, 3) });
        });
        await deliveries.settle(batch);
        if (n % 10 === 5) {
          await deliveries.requeue('d', [{ position: random.pick(entries).position, dueAt: 5 }], 'r');
        }
      }
    }),
  );
  const [counted] = await first.deliveries.counts(['d']);
  const rows = await listAll(first.deliveries);
  const count = (state: DeliveryState): number => rows.filter((row) => row.state === state).length;
  const [processed, failed, filtered, retrying] = states.map(count) as [number, number, number, number];
  const waiting = 300 - processed - failed - filtered;
  expect(counted?.counts, `SEED=${seed}`).toEqual({ accepted: 300, processed, failed, filtered, retrying, waiting });
});

describe('settings', () => {
  const source = (id: string): Source => ({
    ...{ id, name: id, type: 'web', writeKey: `key of ${id}`, enabled: true },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', oldKey: null },
  });
  const follow = async ({ store }: TestNode): Promise<Settings> => {
    const settings = new Settings(store.settings, { openLane: async () => undefined }, new HandClock());
    await settings.load();
    settings.follow();
    return settings;
  };

  test('that one node changes are followed by the others, those of a broken connection too', async () => {
    const [one, other] = [await follow(await open()), await follow(await open())];
    await one.putSource(source('a'));
    await one.putSource(source('b'));
    await eventually(
      () => other.sources().map(({ id }) => id),
      (ids) => ids.join() === 'a,b',
    );
    expect(other.sourceByWriteKey('key of b')?.id).toBe('b');
    await one.deleteSource('a');
    await eventually(
      () => other.source('a'),
      (found) => found === undefined,
    );
    expect(other.sourceByWriteKey('key of a')).toBeUndefined();
    await admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
    );
    await eventually(
      () =>
        one.putSource(source('c')).then(
          () => true,
          () => false,
        ),
      Boolean,
    );
    await eventually(
      () => other.source('c'),
      (found) => found !== undefined,
    );
  });

  test('of two nodes that make a source of one write key at once, at most one keeps its source', async () => {
    const [one, other] = [await follow(await open()), await follow(await open())];
    const taken = await Promise.allSettled([
      one.putSource({ ...source('a'), writeKey: 'one key' }),
      other.putSource({ ...source('b'), writeKey: 'one key' }),
    ]);
    const kept = taken.filter(({ status }) => status === 'fulfilled').length;
    expect(kept).toBeLessThan(2);
    for (const node of [one, other]) {
      await eventually(
        () => node.sources().length,
        (length) => length === kept,
      );
    }
    await one.putSource({ ...source('c'), writeKey: 'another key' });
    await expect(other.putSource({ ...source('d'), writeKey: 'another key' })).rejects.toMatchObject({
      code: 'conflict',
    });
    // It may have read the refused source before that was withdrawn.
    await eventually(
      () => one.sourceByWriteKey('another key')?.id,
      (id) => id === 'c',
    );
  });

  test('of other nodes are read where the connection that notifies of them is lost, which is told until there is another', async () => {
    const [one, hard] = [await follow(await open()), await open()];
    const of = await follow(hard);
    await using server = await connected(Object.assign(new URL(url), { pathname: '/postgres' }).href);
    const allow = (is: boolean) =>
      server.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" ALLOW_CONNECTIONS ${is}`);
    const hears = (expected: boolean): Promise<boolean> =>
      eventually(
        () => hard.store.peers.caughtUp(),
        (has) => has === expected,
      );
    await hears(true);
    const { peers } = hard.store;
    expect(peers.trouble()).toBeNull();
    await allow(false);
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query = 'SELECT 1'`,
    );
    await hears(false);
    await one.putSource(source('d'));
    await eventually(
      () => of.source('d'),
      (found) => found !== undefined && peers.isCurrent(),
    );
    expect(peers.trouble()).toContain('does not notify');
    // The node works.
    expect(hard.store.trouble()).toBeNull();
    await allow(true);
    await hears(true);
    expect(peers.trouble()).toBeNull();
  });
});

describe('a lane that has ended', () => {
  const countsOf = async ({ deliveries }: TestNode) =>
    (await deliveries.counts(['d'])).map(({ laneId, counts }) => [laneId, counts.accepted, counts.processed]);

  test('takes nothing more from a node that has not heard of it, and what comes is the next lane’s', async () => {
    const entries = entriesAt(numbers(6));
    const node = await open(entries);
    const { index } = node.store;
    const lane = await laneOf(node, entries.slice(0, 4));
    await index.endLane(lane.id, 4);
    const next = await index.openLane('s', 'd', 4);
    await index.add(0, entries.slice(4), 6, []);
    await node.deliveries.settle(entries.map((entry) => resultOf(lane, entry)));
    expect(await countsOf(node)).toEqual([
      [lane.id, 4, 4],
      [next.id, 2, 0],
    ]);
    await node.deliveries.settle(entries.slice(4).map((entry) => resultOf(next, entry)));
    expect(await countsOf(node)).toEqual([
      [lane.id, 4, 4],
      [next.id, 2, 2],
    ]);
  });

  test('has what was settled before it ended, where the index has not come to that yet', async () => {
    const entries = entriesAt(numbers(6));
    const node = await open(entries);
    const lane = await laneOf(node, entries.slice(0, 2));
    await node.deliveries.settle(entries.slice(0, 5).map((entry) => resultOf(lane, entry)));
    await node.store.index.endLane(lane.id, 3);
    await node.store.index.add(0, entries.slice(2), 6, []);
    expect(await countsOf(node)).toEqual([[lane.id, 5, 5]]);
  });

  test('takes nothing when it is gone', async () => {
    const entries = entriesAt(numbers(3));
    const node = await open(entries);
    const lane = await laneOf(node, entries);
    await node.store.index.removeLane(lane.id);
    await node.deliveries.settle(entries.map((entry) => resultOf(lane, entry)));
    expect(await listAll(node.deliveries)).toEqual([]);
  });

  test('has counts that add up, however its end and its records meet', async () => {
    const entries = entriesAt(numbers(400));
    const [one, other] = [await open(entries), await open(entries)];
    const lane = await laneOf(one, entries.slice(0, 100));
    const settling = numbers(40).map((n) =>
      other.deliveries.settle(entries.slice((n - 1) * 10, n * 10).map((entry) => resultOf(lane, entry))),
    );
    await one.store.index.endLane(lane.id, 150);
    await Promise.all(settling);
    await one.store.index.add(0, entries.slice(100), 400, []);
    const [counts] = await countsOf(one);
    expect(counts?.[1]).toBeGreaterThanOrEqual(150);
    expect(counts?.[2]).toBe(counts?.[1]);
  });
});

test('suppressions that one node adds and lifts are heard of by the others', async () => {
  const [one, other] = [await open(), await open()];
  let known: readonly string[] = [];
  other.store.regulations.watch?.(async () => {
    known = (await other.store.regulations.suppressions()).map(({ userId }) => userId);
  });
  const regulation: Regulation = {
    ...{ id: 'r', regulationType: 'SUPPRESS_WITH_DELETE', step: 'searching', createdAt: 1, finishedAt: null, users: 1 },
    ...{ through: null, after: 0, events: { found: 0, erased: 0 }, notices: { total: 0, ended: 0, failed: 0 } },
  };
  await one.store.regulations.create(regulation, ['u']);
  await eventually(
    () => known,
    (users) => users.join() === 'u',
  );
  expect(await one.store.regulations.lift('u')).toBe(true);
  await eventually(
    () => known,
    (users) => users.length === 0,
  );
});

test('alerts that wait for the turn of another node are not saved', async () => {
  const { store } = await open();
  await store.alerts.begin('first');
  await using other = await connected(url);
  await other.query(
    `BEGIN; UPDATE millrace.documents SET document = '"second"' WHERE kind = 'service' AND id = 'alerts turn'`,
  );
  const saved = store.alerts.save([incident()], [noticeOf('opened', [incident()], 'adr_1', 7)], 'first');
  await eventually(
    () => admin.query(WAITING),
    ({ rows }) => rows.length === 1,
  );
  await other.query('COMMIT');
  expect([await saved, await store.alerts.incidents(), await store.alerts.notices()]).toEqual([false, [], []]);
});

describe('leadership', () => {
  /** Wants to lead, and knows whether it does. */
  function candidate(
    { store }: TestNode,
    name = 'work',
    options?: LeadOptions,
  ): { leading: boolean; readonly runs: number; end(): Promise<void> } {
    const state = { leading: false, runs: 0, end: () => Promise.resolve() };
    const work = async (signal: AbortSignal): Promise<void> => {
      state.leading = true;
      state.runs++;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      state.leading = false;
    };
    state.end = store.lead(name, work, options);
    return state;
  }

  test('is one node’s at a time, and another’s when that one ends its work', async () => {
    const candidates = [candidate(await open()), candidate(await open()), candidate(await open())];
    for (let left = 3; left > 0; left--) {
      const leading = await eventually(
        () => candidates.filter((each) => each.leading),
        ({ length }) => length > 0,
      );
      expect(leading).toHaveLength(1);
      await leading[0]?.end();
      expect(leading[0]?.leading).toBe(false);
    }
    await Promise.all(candidates.map((each) => each.end()));
  });

  test('ends with the session that holds it', async () => {
    const leader = candidate(await open());
    await eventually(() => leader.leading, Boolean);
    const other = candidate(await open());
    await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
    // The one that lost it may learn of that a moment after the other took it.
    await eventually(
      () => [leader, other],
      (both) =>
        both.some(({ runs }) => runs > 1 || other.runs > 0) && both.filter(({ leading }) => leading).length === 1,
    );
    expect([leader.leading, other.leading].filter(Boolean)).toHaveLength(1);
  });

  test('is left to others by a node that can not reach the log, which takes nothing from the retry queue either', async () => {
    const entries = entriesAt(numbers(4));
    let isFit = true;
    const unfit = await open(entries, { isFit: () => isFit });
    const leader = candidate(unfit);
    const alerts = candidate(unfit, 'alerts', { needsLog: false });
    await eventually(() => leader.leading && alerts.leading, Boolean);
    const fit = await open(entries);
    const other = candidate(fit);
    const lane = await laneOf(fit, entries);
    await unfit.deliveries.settle(
      entries.map((entry) => resultOf(lane, entry, { state: 'retrying', dueAt: 1, urlsLeft: [] })),
    );
    isFit = false;
    await eventually(() => other.leading, Boolean);
    expect([leader.leading, alerts.leading]).toEqual([false, true]);
    expect(await unfit.deliveries.claimDue('d', 1000, 10)).toEqual({ items: [], nextDueAt: 2000 });
    expect((await fit.deliveries.claimDue('d', 1000, 10)).items).toHaveLength(4);
    isFit = true;
    await other.end();
    await eventually(() => leader.leading, Boolean);
    expect(alerts.runs).toBe(1);
  });

  test('is tried again when its work fails', async () => {
    const { store } = await open();
    let runs = 0;
    const end = store.lead('work', async (signal) => {
      runs++;
      if (runs < 3) throw new Error('broken');
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    });
    await eventually(
      () => runs,
      (count) => count === 3,
    );
    await end();
    expect(runs).toBe(3);
  });
});
