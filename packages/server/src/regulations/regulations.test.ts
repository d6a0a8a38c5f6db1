import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DeliveryResult } from '../core/delivery.ts';
import type { Position } from '../core/event.ts';
import type { Offsets } from '../core/position.ts';
import { Trouble } from '../core/trouble.ts';
import { sampleEvent } from '../log/conformance.ts';
import { EVERYTHING, listAll, resultOf } from '../record/conformance.ts';
import type { EventSummary } from '../record/contract.ts';
import { openWorld, type SqliteWorld } from '../stores/sqlite/test-world.ts';
import { REGULATION } from './conformance.ts';
import type { Profiles } from './contract.ts';
import { Regulations } from './regulations.ts';
import { Suppressions } from './suppressions.ts';
import { Life } from './test-life.ts';

/** Users who are known by other ids too; what was found out outlives a crash until it is finished. */
class Persons implements Profiles {
  readonly #ids: Readonly<Record<string, readonly string[]>>;
  readonly erased = new Map<string, { through: Offsets; ids: readonly (readonly string[])[] }>();
  finished = 0;

  constructor(ids: Readonly<Record<string, readonly string[]>> = {}) {
    this.#ids = ids;
  }

  async erase(id: string, userIds: readonly string[]): ReturnType<Profiles['erase']> {
    const known = this.erased.get(id);
    if (known) return known;
    const through = await world.erasure.end();
    const erased = { through, ids: userIds.map((userId) => [userId, ...(this.#ids[userId] ?? [])]) };
    this.erased.set(id, erased);
    return erased;
  }

  async reach(userIds: readonly string[]): ReturnType<Profiles['reach']> {
    const ids = userIds.flatMap((userId) => [userId, ...(this.#ids[userId] ?? [])]);
    const others = userIds.map((userId) => ({ userId, others: this.#ids[userId] ?? [] }));
    return {
      persons: userIds.length,
      ids,
      anonymousIds: [],
      count: ids.length,
      sources: [],
      others: others.filter((one) => one.others.length > 0),
    };
  }

  async finishErasure(id: string): Promise<void> {
    this.finished++;
    this.erased.delete(id);
  }
}

const LOOK_EVERY = 60_000;

const NOTICE_FAILED = { total: 1, ended: 1, delivered: 0, failed: 1, filtered: 0 };

let world: SqliteWorld;
let persons: Persons;
beforeEach(async () => {
  world = await openWorld();
  persons = new Persons();
});
afterEach(() => world.close());

interface Begun {
  readonly regulations: Regulations;
  readonly withdrawn: Set<Position>;
  readonly trouble: Trouble;
}

async function begin(
  life = new Life(Number.POSITIVE_INFINITY, true),
  report = (error: unknown): void => {
    throw error;
  },
): Promise<Begun> {
  const { store } = world;
  const suppressions = new Suppressions(life.mortal(store.regulations));
  const withdrawn = new Set<Position>();
  const trouble = new Trouble('a deletion could not go on', report);
  const regulations = new Regulations({
    store: life.mortal(store.regulations),
    erasure: life.mortal(store.erasure),
    suppressions,
    log: life.mortal(store.log),
    deliveriesOf: (position) => store.deliveries.deliveriesOf(position),
    isDelivered: (sourceId) => !sourceId.startsWith('off'),
    withdraw: (positions) => {
      for (const position of positions) withdrawn.add(position);
    },
    profiles: life.mortal(persons),
    removers: [],
    lookEvery: LOOK_EVERY,
    clock: world.clock,
    newId: () => 'reg_1',
    trouble,
  });
  return { regulations, withdrawn, trouble };
}

/** The delete messages that are in the log. */
async function notices(): Promise<readonly EventSummary[]> {
  const query = { ...EVERYTHING, messageId: null, sourceId: null, type: 'delete' } as const;
  return (await world.deliveries.events(query)).items;
}

/** Delivers what waits in the lanes, or in those of one destination, and tells of it. */
async function deliver(regulations: Regulations, more: Partial<DeliveryResult> = {}, to?: string): Promise<void> {
  const items = await notices();
  for (const lane of await world.log.lanes()) {
    if (to !== undefined && lane.destinationId !== to) continue;
    for (const { position, sourceId } of items) {
      if (sourceId !== lane.sourceId) continue;
      const [entry] = await world.log.fetch([position]);
      if (!entry) continue;
      const result = resultOf(lane, entry, more);
      await world.deliveries.settle([result]);
      regulations.settled(result);
    }
  }
}

/** Delivers until the regulation has come to this step, or its process has ended. */
async function until(
  regulations: Regulations,
  step: string,
  more: Partial<DeliveryResult> = {},
  life?: Life,
): Promise<void> {
  // Not asked of the life, which counts its calls.
  while ((await world.store.regulations.regulations())[0]?.step !== step && !life?.ended) {
    await deliver(regulations, more);
    // The store's files are the only thing that is waited for; its clock stands still. Looks in quick succession would take their threads' time.
    world.advance(10);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Lets time pass until this is so. */
async function passTimeUntil(asked: () => Promise<boolean>): Promise<void> {
  while (!(await asked())) {
    world.advance(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lets time pass until something is done: what waits for the store's files tries again after a while. */
async function meanwhile<T>(work: Promise<T>): Promise<T> {
  let over = false;
  void Promise.allSettled([work]).then(() => {
    over = true;
  });
  await passTimeUntil(async () => over);
  return work;
}

/** Calls of some users; `of` ends the names of their sources. */
async function seen(of = ''): Promise<void> {
  await world.log.openLane(`s1${of}`, 'd1');
  await world.log.openLane(`s1${of}`, 'd2');
  await world.log.openLane(`s2${of}`, 'd1');
  const calls = ['s1 a', 's1 b', 's2 a', 's1 c', 'off a', 's1 a', 's1 other'].map((call, i) => {
    const [sourceId = '', userId = ''] = call.split(' ');
    return { ...sampleEvent(sourceId + of, `m${i}`), userId };
  });
  await world.log.append(calls);
}

async function checkOutcome(regulations: Regulations, of = ''): Promise<void> {
  const sources = ['s1', 's2', 'off'].map((name) => name + of);
  const [s1, s2, off] = sources;
  const subjects = await regulations.subjects('reg_1', 0, 10);
  expect(
    subjects.map(({ userId, sources }) => [userId, sources.map((s) => [s.sourceId, s.events, s.notice?.state])]),
  ).toEqual([
    [
      'a',
      [
        [s1, 2, 'delivered'],
        [s2, 1, 'delivered'],
        [off, 1, undefined],
      ],
    ],
    ['b', [[s1, 1, 'delivered']]],
    ['nobody', []],
  ]);
  const receipts = subjects[0]?.sources[0]?.notice?.receipts.map(({ destinationId, state }) => [destinationId, state]);
  expect(receipts).toEqual([
    ['d1', 'processed'],
    ['d2', 'processed'],
  ]);
  expect(await regulations.get('reg_1')).toMatchObject({
    events: { found: 5, erased: 5 },
    notices: { total: 3, ended: 3, failed: 0 },
  });
  const query = { ...EVERYTHING, messageId: null, sourceId: null, type: null };
  const items = (await world.deliveries.events(query)).items.filter(({ sourceId }) => sources.includes(sourceId));
  // One notice per user and source: an event of its own, and no user is named by any event but those that stay.
  expect(items.filter(({ type }) => type === 'delete')).toHaveLength(3);
  expect(
    items
      .map(({ userId }) => userId)
      .filter((userId) => userId !== null)
      .sort(),
  ).toEqual(['c', 'other']);
  const filtered = (await listAll(world.deliveries)).filter(({ reason }) => reason === 'user_deleted');
  expect(filtered.filter(({ sourceId }) => sources.includes(sourceId))).toHaveLength(3 * 2 + 1);
}

const IDS = ['a', 'b', 'nobody', 'a'];

test('runs to its end: users, events and notices, each once', async () => {
  await seen();
  const { regulations, withdrawn } = await begin();
  await regulations.start();
  expect(await regulations.create('SUPPRESS_WITH_DELETE', IDS)).toMatchObject({ users: 3, step: 'searching' });
  await until(regulations, 'finished');
  await checkOutcome(regulations);
  expect(withdrawn.size).toBe(5 + 3);
  await meanwhile(regulations.stop());
});

test('cut off at any call of the store, before or after its effect, it ends the same', {
  timeout: 300_000,
}, async () => {
  let died = true;
  for (let last = 2; died; last++) {
    for (const takesEffect of [true, false]) {
      // One world for all cuts, because a world's threads take long to start: each has sources and lanes of its own.
      for (const { id } of await world.log.lanes()) await world.log.removeLane(id);
      persons = new Persons();
      const of = `-${last}-${takesEffect}`;
      await seen(of);
      const life = new Life(last, takesEffect);
      const first = await begin(life);
      await first.regulations.start();
      const created = first.regulations.create('DELETE_ONLY', IDS);
      died = await Promise.race([
        life.over.then(() => true),
        created.then(() => until(first.regulations, 'finished', {}, life)).then(() => false),
      ]);
      // Of what it does beyond its end, too, the last call is never answered.
      if (!died) await Promise.race([first.regulations.stop(), life.over]);
      const second = await begin();
      await second.regulations.start();
      // Not durable when it was cut off: then no caller was answered.
      if ((await world.store.regulations.regulations()).length === 0) {
        expect(last).toBeLessThanOrEqual(3);
        await meanwhile(second.regulations.stop());
        // Its events stay, and the next regulation would find them.
        await world.close();
        world = await openWorld();
        continue;
      }
      await until(second.regulations, 'finished');
      await checkOutcome(second.regulations, of);
      await meanwhile(second.regulations.stop());
      await second.regulations.delete('reg_1');
    }
  }
});

test('events under every id of the person are theirs: each counts once, for each user who was asked for', async () => {
  persons = new Persons({ a: ['browser', 'old'], b: ['browser', 'old', 'a'] });
  await world.log.openLane('s1', 'd1');
  const body = (more: object) => new TextEncoder().encode(JSON.stringify(more));
  await world.log.append([
    { ...sampleEvent('s1', 'm1'), userId: null, body: body({ anonymousId: 'browser' }) },
    { ...sampleEvent('s1', 'm2'), userId: null, body: body({ anonymousId: 'other' }) },
    { ...sampleEvent('s1', 'm3'), userId: 'a', body: body({ userId: 'a', anonymousId: 'browser' }) },
    { ...sampleEvent('s1', 'm4'), userId: 'a', type: 'alias', body: body({ 'Previous ID': 'old', 'User ID': 'a' }) },
    { ...sampleEvent('s2', 'm5'), userId: 'old', body: body({ userId: 'old' }) },
  ]);
  const { regulations } = await begin();
  await regulations.start();
  await regulations.create('DELETE_ONLY', ['a', 'b']);
  await until(regulations, 'finished');
  const subjects = await regulations.subjects('reg_1', 0, 10);
  expect(subjects.map(({ userId, sources }) => [userId, sources.map((s) => [s.sourceId, s.events])])).toEqual(
    ['a', 'b'].map((userId) => [
      userId,
      [
        ['s1', 3],
        ['s2', 1],
      ],
    ]),
  );
  expect((await regulations.get('reg_1'))?.events).toEqual({ found: 4, erased: 4 });
  const { items } = await world.deliveries.events({ ...EVERYTHING, messageId: null, sourceId: null, type: 'track' });
  expect(items.filter(({ userId }) => userId !== null)).toEqual([]);
  expect(await world.log.find('m2', ['s1'])).toBeDefined();
  expect([persons.finished, persons.erased.size]).toEqual([1, 0]);
  await meanwhile(regulations.stop());
});

test('an error of the store leaves nothing with those who hold messages', async () => {
  await seen();
  const failing = { left: 1 };
  const erase = world.erasure.erase.bind(world.erasure);
  world.erasure.erase = async (events) => {
    await erase(events);
    if (failing.left-- > 0) throw new Error('The disk is full.');
  };
  const told: (string | null)[] = [];
  const { regulations, withdrawn, trouble } = await begin(new Life(Number.POSITIVE_INFINITY, true), () =>
    told.push(trouble.words()),
  );
  await regulations.start();
  await regulations.create('DELETE_ONLY', ['a']);
  while ((await regulations.get('reg_1'))?.step !== 'delivering') {
    world.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(withdrawn.size).toBe(4);
  expect((await regulations.get('reg_1'))?.events).toEqual({ found: 4, erased: 4 });
  expect(told).toEqual(['a deletion could not go on: The disk is full.']);
  expect(trouble.words()).toBeNull();
  await meanwhile(regulations.stop());
});

test('a notice that failed is kept, and what a replay makes of it is taken in', async () => {
  await seen();
  const { regulations } = await begin();
  await regulations.start();
  await regulations.create('DELETE_ONLY', ['b']);
  await until(regulations, 'finished', { state: 'failed', reason: 'rejected' });
  expect((await regulations.get('reg_1'))?.notices).toEqual(NOTICE_FAILED);
  const [notice] = await notices();
  expect(notice?.userId).toBe('b');
  const items = [{ position: notice?.position ?? 0, dueAt: 0 }];
  const requeued = [
    await world.deliveries.requeue('d1', items, 'r1'),
    await world.deliveries.requeue('d2', items, 'r2'),
  ];
  expect(requeued.map(({ put }) => put)).toEqual([1, 1]);
  await deliver(regulations);
  await passTimeUntil(async () => (await regulations.get('reg_1'))?.notices.failed === 0);
  const [subject] = await regulations.subjects('reg_1', 0, 1);
  expect(subject?.sources[0]?.notice).toMatchObject({ state: 'delivered' });
  expect(await world.log.fetch([notice?.position ?? 0])).toEqual([undefined]);
  await meanwhile(regulations.delete('reg_1'));
  expect(await regulations.list()).toEqual([]);
  await meanwhile(regulations.stop());
});

test('what a destination made of a notice is known while another one has not taken it', async () => {
  await seen();
  const { regulations } = await begin();
  await regulations.start();
  await regulations.create('DELETE_ONLY', ['b']);
  const known = async () => {
    const notice = (await regulations.subjects('reg_1', 0, 1))[0]?.sources[0]?.notice;
    const receipts = notice?.receipts.map(({ destinationId, state }) => `${destinationId} ${state}`);
    const { step, notices } = (await world.store.regulations.regulations())[0] ?? {};
    return { state: notice?.state, receipts, step, ...notices };
  };
  await passTimeUntil(async () => (await known()).step === 'delivering');
  await deliver(regulations, { state: 'failed', reason: 'rejected' }, 'd1');
  await passTimeUntil(async () => (await known()).failed === 1);
  const open = { state: 'waiting', step: 'delivering', total: 1, ended: 0, delivered: 0, filtered: 0 };
  expect(await known()).toEqual({ ...open, receipts: ['d1 failed'], failed: 1 });

  const [notice] = await notices();
  await world.deliveries.requeue('d1', [{ position: notice?.position ?? 0, dueAt: 0 }], 'r1');
  await deliver(regulations, {}, 'd1');
  await passTimeUntil(async () => (await known()).failed === 0);
  expect(await known()).toEqual({ ...open, receipts: ['d1 processed'], failed: 0 });

  await deliver(regulations, {}, 'd2');
  await passTimeUntil(async () => (await known()).step === 'finished');
  const receipts = ['d1 processed', 'd2 processed'];
  const counts = { total: 1, ended: 1, delivered: 1, failed: 0, filtered: 0 };
  expect(await known()).toEqual({ state: 'delivered', receipts, step: 'finished', ...counts });
  await meanwhile(regulations.stop());
});

test('a process that works on them no more forgets still', async () => {
  await seen();
  const { regulations } = await begin();
  await regulations.start();
  await regulations.create('SUPPRESS_WITH_DELETE', ['b']);
  await until(regulations, 'finished');
  await meanwhile(regulations.stop());
  await meanwhile(regulations.delete('reg_1'));
  expect(await regulations.list()).toEqual([]);
});

test('a notice that failed stays so when its destination is deleted, receipts and all', async () => {
  await seen();
  const { regulations } = await begin();
  await regulations.start();
  await regulations.create('DELETE_ONLY', ['b']);
  await until(regulations, 'finished', { state: 'failed', reason: 'rejected' });
  const noticeOf = async () => (await regulations.subjects('reg_1', 0, 1))[0]?.sources[0]?.notice;
  const before = await noticeOf();
  expect([before?.state, before?.receipts.map(({ state }) => state)]).toEqual(['failed', ['failed', 'failed']]);
  for (const { id } of await world.log.lanes()) await world.log.removeLane(id);
  const { deliveriesOf } = world.store.deliveries;
  let looks = 0;
  world.store.deliveries.deliveriesOf = (position) => {
    looks++;
    return deliveriesOf(position);
  };
  while (looks < 2) {
    world.advance(LOOK_EVERY);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await meanwhile(regulations.stop());
  expect(await noticeOf()).toEqual(before);
  expect((await regulations.get('reg_1'))?.notices).toEqual(NOTICE_FAILED);
  expect(await world.log.fetch([before?.position ?? 0])).not.toEqual([undefined]);
});

test('a notice that no destination was told of is counted as that', async () => {
  await seen();
  const { regulations } = await begin();
  await regulations.start();
  await regulations.create('DELETE_ONLY', ['b']);
  await until(regulations, 'finished', { state: 'filtered', reason: 'destination_disabled' });
  expect((await regulations.get('reg_1'))?.notices).toEqual({ ...NOTICE_FAILED, failed: 0, filtered: 1 });
  await meanwhile(regulations.stop());
});

test('one that another process began while this one started is taken up', async () => {
  await seen();
  const { regulations } = await begin();
  const list = world.store.regulations.regulations.bind(world.store.regulations);
  let lists = 0;
  world.store.regulations.regulations = async (which) => {
    const all = await list(which);
    if (lists++ === 0) await world.store.regulations.create(REGULATION, ['a']);
    return all;
  };
  const startedAt = world.now();
  await regulations.start();
  await until(regulations, 'finished');
  expect(world.now() - startedAt).toBeLessThan(LOOK_EVERY);
  await meanwhile(regulations.stop());
  expect((await list())[0]?.step).toBe('finished');
});

test('a write that was done although it failed leaves no regulation behind', async () => {
  await seen();
  const save = world.store.regulations.save.bind(world.store.regulations);
  const failed: string[] = [];
  world.store.regulations.save = async (regulation, subjects) => {
    await save(regulation, subjects);
    if (regulation.notices.ended === 0 || failed.length > 0) return;
    failed.push(regulation.step);
    throw new Error('The answer was lost.');
  };
  const { regulations } = await begin(undefined, () => undefined);
  await regulations.start();
  await regulations.create('DELETE_ONLY', ['b']);
  await until(regulations, 'finished');
  expect(failed).toEqual(['delivering']);
  expect((await regulations.get('reg_1'))?.notices).toMatchObject({ total: 1, ended: 1 });
  await meanwhile(regulations.stop());
});

test('a process that wakes in the middle of a step leaves alone what another one has made of it', async () => {
  await seen();
  const [asleep, awake] = [await begin(), await begin()];
  const append = world.store.log.append.bind(world.store.log);
  const [appended, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  world.store.log.append = async (...args) => {
    const isFirst = calls++ === 0;
    const result = await append(...args);
    if (isFirst) {
      appended.resolve();
      await woken.promise;
    }
    return result;
  };
  await asleep.regulations.start();
  await asleep.regulations.create('DELETE_ONLY', ['b']);
  await meanwhile(appended.promise);
  await awake.regulations.start();
  await until(awake.regulations, 'finished');
  const state = () => Promise.all([asleep.regulations.get('reg_1'), asleep.regulations.subjects('reg_1', 0, 9)]);
  const before = await state();
  await meanwhile(awake.regulations.stop());
  const stopped = asleep.regulations.stop();
  woken.resolve();
  await meanwhile(stopped);
  expect(await state()).toEqual(before);
});
