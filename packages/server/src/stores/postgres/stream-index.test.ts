import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connected, isGiven } from '../../../../../test/cluster/postgres.ts';
import { sharedPostgres } from '../../../../../test/cluster/shared-postgres.ts';
import { startTcpProxy } from '../../../../../test/cluster/tcp-proxy.ts';
import { eventually } from '../../../../../test/system/kit/eventually.ts';
import type { LogEntry } from '../../core/event.ts';
import type { StreamIndex } from '../../log/stream-index.ts';
import { EVERYTHING, listAll, resultOf } from '../../record/conformance.ts';
import type { EventQuery } from '../../record/contract.ts';
import { ANY_EVENT } from '../../record/search-conformance.ts';
import { entriesAt, openNode, type TestNode } from './test-node.ts';

const postgres = await sharedPostgres();
let url: string;
let node: TestNode;
let index: StreamIndex;

beforeEach(async () => {
  url = await postgres.migratedDatabase();
  node = await openNode(url);
  index = node.store.index;
});
afterEach(() => node.store.close());

async function reopen(): Promise<void> {
  await node.store.close();
  node = await openNode(url);
  index = node.store.index;
}

/** Where the positions of a shard begin. */
const SHARD = 2 ** 49;

const acceptedOf = async (): Promise<number[]> =>
  (await node.deliveries.counts(['d'])).map(({ counts }) => counts.accepted);

describe('the index', () => {
  test('leaves out what was added before, duplicates too', async () => {
    const entries = entriesAt([1, 2, 3, 4]);
    const duplicates = [
      { position: 3, sourceId: 's', count: 2 },
      { position: 4, sourceId: 's', count: 5 },
    ];
    await index.add(0, entries.slice(0, 3), 3, duplicates.slice(0, 1));
    await index.add(0, entries.slice(0, 3), 3, duplicates.slice(0, 1));
    await index.add(0, entries.slice(0, 2), 2, []);
    await index.add(0, entries, 4, duplicates);
    expect(await index.totals()).toEqual(new Map([['s', { accepted: 4, duplicates: 7 }]]));
    expect(await index.through(0)).toBe(4);
    expect(await index.through(7)).toBe(0);
  });

  test('notes each event of a loss once, though other nodes find less of it, or more', async () => {
    const what = (after: number, through: number): string => `${after} to ${through}`;
    const kept = async () => (await node.store.losses.list()).map((loss) => loss.what).toSorted();
    for (const after of [400, 400, 450]) await index.lose(after, 500, what);
    expect(await kept()).toEqual(['400 to 500']);
    await index.lose(300, 500, what);
    await index.lose(450, 600, what);
    await index.lose(350, 550, what);
    expect(await kept()).toEqual(['300 to 400', '400 to 500', '500 to 600']);
    await index.lose(250, 650, what);
    expect(await kept()).toEqual(['250 to 300', '300 to 400', '400 to 500', '500 to 600', '600 to 650']);
    const other = await openNode(url);
    const nodes = [index, other.store.index];
    await Promise.all([800, 810, 820, 830].map((through, i) => nodes[i % 2]?.lose(700, through, what)));
    const after = (await kept()).slice(5).map((each) => each.split(' to ').map(Number));
    expect(after.map(([from]) => from)).toEqual([700, ...after.slice(0, -1).map(([, to]) => to)]);
    expect(after.at(-1)?.[1]).toBe(830);
    await other.store.close();
  });

  test('is right when two processes add the same at once', async () => {
    const other = await openNode(url);
    const entries = entriesAt(Array.from({ length: 500 }, (_, i) => i + 1));
    const adding = [index, other.store.index].map(async (each) => {
      for (let n = 0; n < 500; n += 50)
        await each.add(0, entries.slice(n, n + 50), n + 50, [{ position: n + 50, sourceId: 't', count: 1 }]);
    });
    await Promise.all(adding);
    expect(await index.totals()).toEqual(
      new Map([
        ['s', { accepted: 500, duplicates: 0 }],
        ['t', { accepted: 0, duplicates: 10 }],
      ]),
    );
    await other.store.close();
  });

  test.skipIf(isGiven)('is filled by another process where one stands still in the middle', async () => {
    const { port } = new URL(url);
    const proxy = await startTcpProxy(Number(port));
    onTestFinished(() => proxy.close());
    const stands = await openNode(url.replace(`:${port}/`, `:${proxy.port}/`));
    // The first one makes the partition, so that adding the others waits in the middle of its transaction.
    const [first, ...others] = entriesAt([1, 2, 3]);
    await index.add(0, first ? [first] : [], 1, []);
    await using admin = await connected(url);
    await using holder = await connected(url);
    await holder.query('BEGIN; LOCK TABLE millrace.events IN SHARE MODE');
    const adding = expect(stands.store.index.add(0, others, 3, [])).rejects.toThrow();
    const stateOf = async (where: string): Promise<{ pid: number; state: string } | undefined> =>
      (await admin.query<{ pid: number; state: string }>(`SELECT pid, state FROM pg_stat_activity WHERE ${where}`))
        .rows[0];
    const waiting = await eventually(
      () => stateOf(`datname = current_database() AND wait_event_type = 'Lock'`),
      (found) => found !== undefined,
    );
    proxy.block();
    await holder.query('COMMIT');
    // Not in the middle of a statement: the server ends a transaction that idles, and never one whose statement it still reads.
    await eventually(
      () => stateOf(`pid = ${waiting?.pid}`),
      (found) => found?.state === 'idle in transaction',
    );
    await eventually(
      () =>
        index.add(0, others, 3, []).then(
          () => true,
          () => false,
        ),
      Boolean,
      60_000,
    );
    expect(await index.totals()).toEqual(new Map([['s', { accepted: 3, duplicates: 0 }]]));
    proxy.unblock();
    await adding;
    await stands.store.close();
  });

  test('keeps words whole that PostgreSQL would not take', async () => {
    const words = ['a\tb\nc\\d\r', '\\N', 'Zoë\u0000', '\ud800', ''];
    const entries = entriesAt(words.map((_, i) => i + 1)).map((entry, i) => {
      const word = words[i] ?? '';
      return { ...entry, messageId: word, name: word, userId: word };
    });
    await index.add(0, entries, 9, []);
    for (const [i, word] of words.entries()) {
      const { items } = await node.deliveries.events({ ...ANY_EVENT, messageId: word, event: word, userId: word });
      expect(items).toMatchObject([{ position: i + 1, messageId: word, event: word, userId: word }]);
      const ids = [word, 'none'].map((messageId) => ({ messageId, owner: word }));
      expect(await index.known('s', ids, 0)).toEqual({ places: new Set([0]), through: new Map([[0, 9]]) });
    }
  });
});

test('a lane has done with what has a delivery and with what retention has dropped, not with what is not added yet', async () => {
  const [dropped, kept] = [entriesAt([SHARD + 1, SHARD + 2], 's', 0), entriesAt([SHARD + 3, SHARD + 4])];
  const lane = await index.openLane('s', 'd', SHARD);
  await index.add(1, [...dropped, ...kept], SHARD + 4, []);
  await node.deliveries.settle([...dropped, ...kept.slice(0, 1)].map((entry) => resultOf(lane, entry)));
  expect(await node.store.retention.expire(1_700_000_000_000)).toBe(1);
  const positions = [SHARD + 1, SHARD + 2, SHARD + 3, SHARD + 4, SHARD + 5];
  expect(await index.taken(lane.id, positions)).toEqual(new Set(positions.slice(0, 3)));
});

describe('what a lane has accepted', () => {
  test('is exact wherever the index is when it begins and ends', async () => {
    const entries = entriesAt([1, 2, 3, 4, 5, 6, 7, 8]);
    await index.add(0, entries.slice(0, 2), 2, []);
    // Behind, at, and before what the index has come to.
    const past = await index.openLane('s', 'd', 1);
    const ahead = await index.openLane('t', 'd', 5);
    expect(await acceptedOf()).toEqual([1, 0]);
    await index.endLane(past.id, 4);
    await index.add(0, [...entries.slice(2, 3), ...entriesAt([4, 5], 't')], 5, []);
    expect(await acceptedOf()).toEqual([2, 0]);
    await index.endLane(ahead.id, 7);
    await index.add(0, [...entriesAt([6, 7, 8], 't'), ...entriesAt([9])], 9, []);
    expect(await acceptedOf()).toEqual([2, 2]);
    await index.endLane(ahead.id, 8);
    expect(await acceptedOf()).toEqual([2, 2]);
  });

  test('is no less than what became of it, though the index is behind', async () => {
    const lane = await index.openLane('s', 'd', 0);
    const [first, second] = entriesAt([1, 2]);
    if (!first || !second) throw new Error('There are two.');
    await node.deliveries.settle([resultOf(lane, first), resultOf(lane, second, { state: 'retrying', dueAt: 1 })]);
    const expected = { accepted: 2, processed: 1, failed: 0, filtered: 0, waiting: 1, retrying: 1 };
    expect(await node.deliveries.counts(['d'])).toMatchObject([{ counts: expected }]);
    await index.add(0, [first, second], 2, []);
    expect(await node.deliveries.counts(['d'])).toMatchObject([{ counts: expected }]);
  });

  test('counts in its source’s shard alone', async () => {
    const lane = await index.openLane('s', 'd', SHARD * 3 + 10);
    await index.add(0, entriesAt([1, 2, 3]), 3, []);
    expect(await acceptedOf()).toEqual([0]);
    await index.add(3, entriesAt([SHARD * 3 + 10, SHARD * 3 + 11]), SHARD * 3 + 11, []);
    expect(await acceptedOf()).toEqual([1]);
    expect(await index.lanes()).toEqual([lane]);
  });
});

describe('a search', () => {
  test('has the newest first, whatever shards they are in', async () => {
    const [a, b] = [entriesAt([1, 2, 3], 's', 1_000), entriesAt([SHARD + 1, SHARD + 2, SHARD + 3], 't', 1_500)];
    await index.add(0, a, 3, []);
    await index.add(1, b, SHARD + 3, []);
    const lanes = [await index.openLane('s', 'd', 0), await index.openLane('t', 'd', SHARD)] as const;
    await node.deliveries.settle([
      ...a.map((entry) => resultOf(lanes[0], entry)),
      ...b.map((entry) => resultOf(lanes[1], entry)),
    ]);
    const expected = [...a, ...b].toSorted((x, y) => y.receivedAt - x.receivedAt).map(({ position }) => position);
    const { items } = await node.deliveries.events(ANY_EVENT);
    expect(items.map(({ position }) => position)).toEqual(expected);
    for (const limit of [1, 2, 10]) {
      expect((await listAll(node.deliveries, { limit })).map(({ position }) => position)).toEqual(expected);
    }
  });

  test('for a rare word ends its page before it has looked at everything, and finds it in the end', async () => {
    const count = 45_000;
    const all = entriesAt(Array.from({ length: count }, (_, i) => i + 1)).map((entry, i) => ({
      ...entry,
      receivedAt: entry.receivedAt - i * 999,
      userId: i === 0 || i === count - 1 ? 'rare' : 'common',
    }));
    await index.add(0, all, count, []);
    const lane = await index.openLane('s', 'd', 0);
    for (let n = 0; n < count; n += 5000) {
      const page: LogEntry[] = all.slice(n, n + 5000);
      await node.deliveries.settle(page.map((entry) => resultOf(lane, entry, { state: 'failed', reason: 'rejected' })));
    }
    const userId = 'rare';
    const ends = [count, 1];
    const replay = {
      destinationId: 'd',
      sourceIds: ['s'],
      event: null,
      userId,
      error: null,
      from: null,
      to: null,
      limit: 5,
    };
    const ways: ((cursor: string | null) => Promise<{ items: readonly { position: number }[]; next: unknown }>)[] = [
      (cursor) => node.deliveries.events({ ...ANY_EVENT, userId, cursor }),
      (cursor) => node.deliveries.events({ ...ANY_EVENT, sourceId: 's', userId, cursor } satisfies EventQuery),
      (cursor) => node.deliveries.list({ ...EVERYTHING, userId, cursor }),
      (cursor) => node.deliveries.list({ ...EVERYTHING, destinationId: 'd', state: 'failed', userId, cursor }),
      (cursor) => node.deliveries.candidates({ ...replay, state: 'all', after: Number(cursor ?? -1) }),
      (cursor) => node.deliveries.candidates({ ...replay, state: 'failed', after: Number(cursor ?? -1) }),
    ];
    for (const way of ways) {
      const found: number[] = [];
      let pages = 0;
      let cursor: string | null = null;
      do {
        const { items, next } = await way(cursor);
        found.push(...items.map(({ position }) => position));
        cursor = next === null ? null : String(next);
        pages++;
      } while (cursor !== null && pages < 10);
      expect(found.toSorted((x, y) => y - x)).toEqual(ends);
      expect(pages).toBe(3);
    }
  });

  test('for anything else reads what it looks for and little more', async () => {
    await using admin = await connected(url);
    const all = entriesAt(Array.from({ length: 3000 }, (_, i) => i + 1));
    const lane = await index.openLane('s', 'd', 0);
    await index.add(0, all, 3000, []);
    await node.deliveries.settle(all.slice(0, 2000).map((entry) => resultOf(lane, entry)));
    // A session tells what it counted when it ends: making the partition has read it, empty as it was.
    await reopen();
    await admin.query('SELECT pg_stat_reset()');
    const owner = 'u1';
    await index.known(
      's',
      ['s 1500', 'none'].map((messageId) => ({ messageId, owner })),
      0,
    );
    await index.find('s 1500', ['s']);
    await index.taken(lane.id, [1, 2, 3]);
    await node.deliveries.settle(all.slice(1990, 2100).map((entry) => resultOf(lane, entry)));
    await node.deliveries.requeue('d', [{ position: 5, dueAt: 1 }], 'r');
    await node.deliveries.claimDue('d', 10, 5);
    await node.deliveries.due(10);
    await node.deliveries.counts(['d']);
    await node.deliveries.deliveriesOf(7);
    await node.deliveries.list({ ...EVERYTHING, state: 'retrying', from: 1 });
    await node.deliveries.events({ ...ANY_EVENT, messageId: 's 1500' });
    await reopen();
    const { rows } = await admin.query(
      `SELECT relname, seq_scan::int FROM pg_stat_user_tables WHERE relname ~ '^(events|deliveries)_' AND seq_scan > 0`,
    );
    const { rows: read } = await admin.query(
      `SELECT sum(idx_tup_fetch)::int AS count FROM pg_stat_user_tables WHERE relname ~ '^(events|deliveries)_'`,
    );
    expect(rows).toEqual([]);
    // Rows that were asked for, and few beside them: the tables have 5,000.
    expect(read[0]?.count).toBeLessThan(1000);
  });
});
