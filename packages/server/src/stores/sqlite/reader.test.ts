import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { DELIVERY_STATES } from '../../core/delivery.ts';
import { sampleEvent, take } from '../../log/conformance.ts';
import type { LaneReader } from '../../log/contract.ts';
import { EVERYTHING, listAll, settlementOf } from '../../record/conformance.ts';
import type { EventPage, ReplayQuery } from '../../record/contract.ts';
import { ANY_EVENT } from '../../record/search-conformance.ts';
import { livePath } from './live.ts';
import { parsePartitionFile } from './partition.ts';
import { Reader } from './reader.ts';
import { openWorld, SMALL } from './test-world.ts';

const CANDIDATES: ReplayQuery = { ...EVERYTHING, destinationId: 'd', state: 'failed', sourceIds: ['s'], after: -1 };

/** Says how SQLite runs a statement, in the file that has its tables. */
function plan(files: readonly string[], sql: string): string {
  for (const file of files) {
    const db = new DatabaseSync(file, { readOnly: true });
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

test('no read goes through a whole table, or sorts', async () => {
  const world = await openWorld(SMALL);
  const lane = await world.log.openLane('s', 'd');
  await world.log.append(['a', 'b', 'c', 'd'].map((id) => sampleEvent('s', id, { receivedAt: world.now() })));
  const entries = await world.log.read(lane.id).pull(4, AbortSignal.timeout(10_000));
  await world.deliveries.settle(
    entries.map((entry, i) => settlementOf(lane, entry, { state: DELIVERY_STATES[i] ?? 'failed', dueAt: 1 })),
  );
  const prepared = vi.spyOn(DatabaseSync.prototype, 'prepare');
  const partitions = readdirSync(world.dataDir).flatMap((name) => parsePartitionFile(world.dataDir, name) ?? []);
  const reader = new Reader(world.dataDir);
  reader.usePartitions(partitions);
  const numbers = { source: 1, destination: 2 };
  expect(reader.readLane(numbers, 0, 99, 99)).toEqual([]);
  expect(reader.receivedAfter(numbers, 0, 99)).toBeNull();
  expect(reader.fetch([1, 2])).toHaveLength(2);
  expect(reader.shelf('d', 10)).toHaveLength(1);
  expect(reader.deliveriesOf(1)).toHaveLength(1);
  for (const state of [null, ...DELIVERY_STATES]) {
    for (const destinationId of [null, 'd']) {
      const times = { from: world.now(), to: world.now() + 1 };
      expect(reader.list({ ...EVERYTHING, ...times, state, destinationId }).items).toHaveLength(state ? 1 : 4);
    }
  }
  expect(reader.oldestWaiting(['d'])).toEqual(new Map([['d', world.now()]]));
  expect(reader.statsSeries({ subjects: ['s', 'd'], from: 0, to: 120_000, step: 60_000 })).toEqual([]);
  expect(reader.statsTotals(['s', 'd'], 0, 120_000)).toEqual(new Map());
  expect(reader.statsLastAt(['s', 'd'])).toEqual(new Map());
  for (const sourceId of [null, 's']) {
    for (const times of [{}, { from: world.now(), to: world.now() + 1 }]) {
      expect(reader.events({ ...ANY_EVENT, ...times, sourceId }, null).items).toHaveLength(4);
    }
  }
  expect(reader.events(ANY_EVENT, [2, 3]).items).toHaveLength(2);
  expect(reader.candidates(CANDIDATES)).toHaveLength(1);
  expect(reader.candidates({ ...CANDIDATES, state: 'all' })).toHaveLength(4);
  const statements = [...new Set(prepared.mock.calls.map(([sql]) => sql))];
  prepared.mockRestore();
  reader.close();
  await world.stop();

  const files = [...partitions.map(({ path }) => path), livePath(world.dataDir)];
  const plans = statements.map((sql) => [sql.replace(/\s+/g, ' '), plan(files, sql)] as const);
  expect(plans.length).toBeGreaterThan(10);
  const slow = plans.filter(([sql, steps]) => {
    // Lanes are few: one per connected pair.
    if (sql.endsWith('FROM lanes')) return false;
    return /TEMP B-TREE|SCAN (?!.*max\(seq\))/.test(steps) && !/^SELECT max\(seq\)/.test(sql);
  });
  expect(slow).toEqual([]);
  const used = plans.map(([, steps]) => steps).join('\n');
  for (const index of ['events_by_source', 'shelf', 'deliveries_not_processed']) expect(used).toContain(index);
  await world.close();
});

test('a rare match is found, page after page, though no page looks at everything', async () => {
  const world = await openWorld({ partitionLength: 60_000 });
  const lanes = await Promise.all(['d', 'e'].map((destinationId) => world.log.openLane('s', destinationId)));
  const readers = lanes.map(({ id }) => world.log.read(id));
  const COUNT = 24_000;
  const BATCH = 6_000;
  for (let i = 0; i < COUNT; i += BATCH) {
    const events = Array.from({ length: BATCH }, (_, j) => {
      const n = i + j;
      const name = n % 11_000 === 5 ? 'Rare' : 'Common';
      return sampleEvent('s', `m${n}`, { name, receivedAt: world.now() + j });
    });
    await world.log.append(events);
    for (const [l, lane] of lanes.entries()) {
      const entries = await take(readers[l] as LaneReader, BATCH);
      // So the two destinations get through different numbers of rows on the way to the same event.
      await world.settle(
        lane,
        entries.filter(({ name, position }) => l === 0 || name === 'Rare' || position % 3 > 0),
      );
    }
    world.advance(60_000);
  }
  const first = await world.deliveries.list({ ...EVERYTHING, event: 'Rare', limit: 10 });
  expect(first.next).not.toBeNull();
  const rare = await listAll(world.deliveries, { event: 'Rare', limit: 10 });
  const found = rare.map(({ messageId, destinationId }) => `${messageId} ${destinationId}`);
  expect(found.toSorted()).toEqual(['m11005 d', 'm11005 e', 'm22005 d', 'm22005 e', 'm5 d', 'm5 e']);
  expect(rare.map(({ position }) => position)).toEqual(rare.map(({ position }) => position).toSorted((a, b) => b - a));

  const query = { ...ANY_EVENT, event: 'Rare' };
  const pages: EventPage[] = [];
  do pages.push(await world.deliveries.events({ ...query, cursor: pages.at(-1)?.next ?? null }));
  while (pages.at(-1)?.next !== null);
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.flatMap(({ items }) => items.map(({ messageId }) => messageId))).toEqual(['m22005', 'm11005', 'm5']);
  await world.close();
});
