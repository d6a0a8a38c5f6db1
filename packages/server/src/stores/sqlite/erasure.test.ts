import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { random } from '../../../../../test/system/kit/random.ts';
import type { LogEntry } from '../../core/event.ts';
import { sampleEvent } from '../../log/conformance.ts';
import { resultOf } from '../../record/conformance.ts';
import { countsOf } from '../../record/test-counts.ts';
import { erasureConformance, REGULATION, regulationStoreConformance } from '../../regulations/conformance.ts';
import { openWorld, SMALL, type SqliteWorld } from './test-world.ts';

const open = () => openWorld(SMALL);

regulationStoreConformance('SQLite', open);
erasureConformance('SQLite', open);

let world: SqliteWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

/** The files that hold a text anywhere. */
function filesWith(text: string): string[] {
  return readdirSync(world.dataDir).filter((name) => readFileSync(join(world.dataDir, name)).includes(text));
}

function sizeOfPartitions(): number {
  const names = readdirSync(world.dataDir).filter((name) => name.startsWith('events-'));
  return names.reduce((sum, name) => sum + statSync(join(world.dataDir, name)).size, 0);
}

test('a long row of attempts takes no more room for answers, and no file holds them once the user is removed', async () => {
  const lane = await world.log.openLane('s', 'd');
  const users = ['user-GONE', 'somebody'];
  const entries = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      await world.log.append([{ ...sampleEvent('s', `m${i}`), userId: users[i % 2] ?? null }]);
      const entry = await world.log.find(`m${i}`, ['s']);
      if (!entry) throw new Error(`m${i} is not there`);
      return entry;
    }),
  );
  const round = (rounds: number, answerOf: (entry: LogEntry) => string): Promise<void> =>
    world.deliveries.settle(
      entries.map((entry) => {
        const tried = { url: 'https://a.example/', at: rounds, ms: 1, status: 500, error: null, detail: null };
        const attempts = [{ ...tried, answer: answerOf(entry) }];
        return resultOf(lane, entry, { state: 'retrying', rounds, dueAt: 5000, urlsLeft: [], attempts });
      }),
    );
  const sizes: number[] = [];
  for (let n = 1; n <= 200; n++) {
    await round(n, ({ userId, position }) => `to ${userId}: ${'late '.repeat(20 + (position % 50))}`);
    if (n % 100 === 0) {
      await world.erasure.purge(new AbortController().signal);
      sizes.push(sizeOfPartitions());
    }
  }
  expect(sizes[1]).toBe(sizes[0]);
  for (let n = 201; n <= 300; n++)
    await round(n, ({ userId, position }) => `to ${userId}: ${'late '.repeat((n * position) % 200)}`);
  const { events } = await world.erasure.find(['user-GONE'], 0, await world.erasure.end());
  await world.erasure.erase(events);
  await world.erasure.purge(new AbortController().signal);
  expect(filesWith('user-GONE')).toEqual([]);
  expect(filesWith('somebody')).not.toEqual([]);
});

test('no file holds what was removed: bodies of every size, and answers through rounds of retries', async () => {
  const DESTINATIONS = ['d1', 'd2', 'd3'];
  const lanes = await Promise.all(DESTINATIONS.map((id) => world.log.openLane('s', id)));
  const COUNT = 600;
  for (let i = 0; i < COUNT; i++) {
    // From a few bytes to several pages, the user's among those of others.
    const body = Buffer.from(
      `${i % 3 === 0 ? 'MARKER' : 'other'} `.repeat(1 + ((i * 37) % 900) ** (i % 50 === 0 ? 1.4 : 1)),
    );
    const userId = i % 3 === 0 ? 'user-GONE' : 'somebody';
    await world.log.append([
      { ...sampleEvent('s', `m${i}`), userId, unsent: `{"x":"${userId}"}`, name: `by ${userId}`, body },
    ]);
    if (i % 200 === 0) await world.erasure.purge(new AbortController().signal);
  }
  const entries = (await Promise.all(Array.from({ length: COUNT }, (_, i) => world.log.find(`m${i}`, ['s'])))).filter(
    (entry) => entry !== undefined,
  );
  for (let round = 1; round <= 4; round++) {
    for (const lane of lanes.slice(0, 2)) {
      const retried = entries.filter(({ position }) => (position + lane.id) % 2 === 0);
      await world.deliveries.settle(
        retried.map((entry) => {
          const answer = `you sent ${entry.userId} ${'answer '.repeat(entry.position % 90)}`;
          const attempt = { url: 'https://a.example/', at: 1, ms: 1, status: 500, error: null, detail: null, answer };
          const more = { rounds: round, dueAt: 5000, urlsLeft: [], attempts: [attempt] };
          return resultOf(lane, entry, { ...more, state: 'retrying' });
        }),
      );
    }
  }
  expect(filesWith('MARKER')).not.toEqual([]);
  const before = await Promise.all(DESTINATIONS.map((id) => countsOf(world, id)));
  const through = await world.erasure.end();
  const { events, next } = await world.erasure.find(['user-GONE'], 0, through);
  expect([events.length, next]).toEqual([COUNT / 3, null]);
  await world.erasure.erase(events);
  await world.erasure.purge(new AbortController().signal);
  expect(filesWith('MARKER')).toEqual([]);
  expect(filesWith('user-GONE')).toEqual([]);
  expect(filesWith('somebody')).not.toEqual([]);

  // Where they waited they are filtered, and the counts add up as before.
  for (const [i, id] of DESTINATIONS.entries()) {
    const counts = await countsOf(world, id);
    expect(counts.accepted).toBe(COUNT);
    expect(counts.filtered).toBe(COUNT / 3);
    expect(counts.waiting).toBe((before[i]?.waiting ?? 0) - COUNT / 3);
    const { items } = await world.deliveries.claimDue(id, 10_000, 1000);
    expect(items.filter(({ entry }) => entry.userId !== 'somebody')).toEqual([]);
    expect(items).toHaveLength(counts.retrying);
  }
  const positions = events.map(({ position }) => ({ position, dueAt: 1 }));
  expect((await world.deliveries.requeue('d1', positions, 'r')).put).toBe(0);
  const [first] = events;
  const [lane] = lanes;
  const gone = entries.find(({ position }) => position === first?.position);
  // What was under way says what became of it: too late.
  if (lane && gone) await world.deliveries.settle([resultOf(lane, gone)]);
  expect(await countsOf(world, 'd1')).toMatchObject({ processed: 0, filtered: COUNT / 3 });
});

test('no file holds who was asked for, also where a row moved because one before it grew', async () => {
  const { regulations } = world;
  // Nothing is to be rewritten then.
  await world.erasure.purge(new AbortController().signal);
  const next = random(1);
  const below = (most: number): number => Math.floor(next() * most);
  const made: { readonly id: string; readonly isKept: boolean }[] = [];
  for (let n = 0; n < 600; n++) {
    const isKept = n % 4 === 0;
    const regulation = { ...REGULATION, id: `reg_${n}`, regulationType: 'DELETE_ONLY' } as const;
    await regulations.create(regulation, [`${'x'.repeat(below(300))}-${isKept ? 'KEPT' : 'GONE'}`]);
    made.push({ id: regulation.id, isKept });
    const grows = { ...regulation, id: `reg_${below(made.length)}` };
    const [subject] = await regulations.subjects(grows.id, 0, 1);
    const source = { sourceId: 'y'.repeat(below(800)), events: n, notice: null };
    if (subject) await regulations.save(grows, [{ ...subject, sources: [...subject.sources, source] }]);
  }
  for (const { id, isKept } of made) if (!isKept) await regulations.delete(id);
  await world.erasure.purge(new AbortController().signal);
  expect(filesWith('-GONE')).toEqual([]);
  expect(filesWith('-KEPT')).toEqual(['millrace.db']);
});

test('no viewer is shown what was removed, and a partition of removed events is dropped', async () => {
  await world.log.openLane('s', 'd');
  const stop = new AbortController();
  const pages = await world.log.follow(stop.signal);
  await world.log.append([
    { ...sampleEvent('s', 'a'), userId: 'gone' },
    { ...sampleEvent('s', 'b'), userId: 'kept' },
  ]);
  const { events } = await world.erasure.find(['gone'], 0, await world.erasure.end());
  await world.erasure.erase(events);
  for await (const { entries } of pages) {
    expect(entries.map(({ messageId }) => messageId)).toEqual(['b']);
    break;
  }
  stop.abort();
  const rest = await world.erasure.find(['kept'], 0, await world.erasure.end());
  await world.erasure.erase(rest.events);
  world.advance(10 * 24 * 60 * 60 * 1000);
  expect(await world.retention.expire(world.clock.now())).toBe(1);
});
