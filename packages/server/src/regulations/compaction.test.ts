import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../core/clock.ts';
import { Trouble } from '../core/trouble.ts';
import { sampleEvent } from '../log/conformance.ts';
import { openWorld, type SqliteWorld } from '../stores/sqlite/test-world.ts';
import { Compaction } from './compaction.ts';
import { Regulations } from './regulations.ts';
import { Suppressions } from './suppressions.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const KEEP = 400 * DAY;

let world: SqliteWorld;
let services: { stop(): Promise<void> }[];
let errors: unknown[];
/** Compactions of the profiles that have begun; `onProfiles` is what each does. */
let compactions: number;
let onProfiles: () => Promise<void>;
beforeEach(async () => {
  world = await openWorld();
  services = [];
  errors = [];
  compactions = 0;
  onProfiles = async () => undefined;
});
afterEach(async () => {
  for (const service of services.toReversed()) await service.stop();
  await world.close();
});

async function begin(
  clock: Clock = world.clock,
): Promise<{ regulations: Regulations; compaction: Compaction; trouble: Trouble }> {
  const { store } = world;
  let id = 0;
  const regulations = new Regulations({
    store: store.regulations,
    erasure: store.erasure,
    suppressions: new Suppressions(store.regulations),
    log: store.log,
    deliveriesOf: (position) => store.deliveries.deliveriesOf(position),
    isDelivered: () => false,
    withdraw: () => undefined,
    profiles: {
      erase: async (_, userIds) => ({ through: await store.erasure.end(), ids: userIds.map((userId) => [userId]) }),
      reach: async () => ({ persons: 0, ids: [], anonymousIds: [], count: 0, sources: [], others: [] }),
      finishErasure: async () => undefined,
    },
    removers: [],
    lookEvery: 60_000,
    clock,
    newId: () => `reg_${++id}`,
    trouble: new Trouble('a deletion could not go on', (error) => errors.push(error)),
  });
  const trouble = new Trouble('a file was not written', (error) => errors.push(error));
  const compaction = new Compaction({
    store: store.regulations,
    regulations,
    purge: (signal) => store.erasure.purge(signal),
    purgeProfiles: async () => {
      compactions++;
      await onProfiles();
    },
    at: '02:00',
    keep: KEEP,
    clock,
    trouble,
  });
  await regulations.start();
  await compaction.start();
  services.push(regulations, compaction);
  return { regulations, compaction, trouble };
}

/** Lets the threads of the store answer, while time stands still, until something holds. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}

/** Both loops wait for their time. */
const resting = (): boolean => world.clock.pending >= 2;

async function erased(regulations: Regulations, ...userIds: string[]): Promise<string> {
  const { id } = await regulations.create('DELETE_ONLY', userIds);
  await until(async () => (await regulations.get(id))?.step === 'finished');
  await until(resting);
  return id;
}

async function compactedAt(regulations: Regulations, id: string): Promise<number | null | undefined> {
  return (await regulations.get(id))?.compactedAt;
}

const isCompacted = (regulations: Regulations, id: string) => async () =>
  typeof (await compactedAt(regulations, id)) === 'number';

/** The files of the data folder that hold a text. */
const filesWith = (text: string): string[] =>
  readdirSync(world.dataDir).filter((name) => readFileSync(join(world.dataDir, name)).includes(text));

async function accept(userId: string): Promise<void> {
  const body = new TextEncoder().encode(JSON.stringify({ type: 'track', userId, of: `marker-of-${userId}` }));
  await world.log.append([{ ...sampleEvent('s', `m-${userId}`), userId, body }]);
}

test('once a day for all requests since the last time: until then the bytes are there, which nothing reads', async () => {
  for (const userId of ['a', 'b', 'c']) await accept(userId);
  const { regulations } = await begin();
  const [first, second] = [await erased(regulations, 'a'), await erased(regulations, 'b')];
  expect(await regulations.get(first)).toMatchObject({ erasedAt: world.clock.now(), compactedAt: null });
  expect(await world.log.find('m-a', ['s'])).toBeUndefined();
  expect(filesWith('marker-of-a')).not.toEqual([]);
  // It is 08:00.
  world.clock.advance(18 * HOUR - 1);
  await until(resting);
  expect(compactions).toBe(0);
  world.clock.advance(1);
  for (const id of [first, second]) await until(isCompacted(regulations, id));
  expect([compactions, await compactedAt(regulations, first)]).toEqual([1, world.clock.now()]);
  for (const user of ['a', 'b']) expect([user, filesWith(`marker-of-${user}`)]).toEqual([user, []]);
  expect(filesWith('marker-of-c')).not.toEqual([]);
  expect(errors).toEqual([]);
});

test('it runs half a minute after the clock jumped over its time', async () => {
  const { clock } = world;
  const begun = clock.now();
  let jump = 0;
  const jumping = { now: () => clock.now() + jump, after: clock.after.bind(clock) };
  const { regulations } = await begin(jumping);
  const id = await erased(regulations, 'a');
  jump = 20 * HOUR;
  clock.advance(30_000);
  await until(isCompacted(regulations, id));
  expect(clock.now()).toBe(begun + 30_000);
});

test('a day without a request rewrites no profile', async () => {
  const { regulations } = await begin();
  const id = await erased(regulations, 'a');
  world.clock.advance(DAY);
  await until(isCompacted(regulations, id));
  await until(resting);
  world.clock.advance(DAY);
  await until(resting);
  expect(compactions).toBe(1);
});

test('one that is asked for runs at once, beyond a restart too, and is made once', async () => {
  const { regulations, compaction } = await begin();
  const id = await erased(regulations, 'a');
  await compaction.stop();
  await compaction.ask();
  expect(await compactedAt(regulations, id)).toBeNull();
  await compaction.start();
  await until(isCompacted(regulations, id));
  await until(async () => (await world.store.regulations.compactionAsked()) === null);
  await erased(regulations, 'b');
  await compaction.stop();
  await compaction.start();
  await until(resting);
  expect(compactions).toBe(1);
});

test('the profiles of a request whose record is deleted before are rewritten too', async () => {
  const { regulations } = await begin();
  await regulations.delete(await erased(regulations, 'a'));
  world.clock.advance(18 * HOUR);
  await until(() => compactions === 1);
  expect(await regulations.list()).toEqual([]);
});

test('one that was due while no process ran is made after the next start', async () => {
  const { regulations, compaction } = await begin();
  const id = await erased(regulations, 'a');
  await compaction.stop();
  world.clock.advance(18 * HOUR);
  await compaction.start();
  await until(isCompacted(regulations, id));
  expect(compactions).toBe(1);
});

test('a request during a compaction waits for the next; two do not run at a time', async () => {
  const { regulations, compaction } = await begin();
  const first = await erased(regulations, 'a');
  const held = Promise.withResolvers<void>();
  onProfiles = () => held.promise;
  await compaction.ask();
  await until(() => compactions === 1);
  const { id: second } = await regulations.create('DELETE_ONLY', ['b']);
  await until(async () => (await regulations.get(second))?.step === 'finished');
  world.clock.advance(1);
  await compaction.ask();
  held.resolve();
  await until(isCompacted(regulations, second));
  expect([compactions, typeof (await compactedAt(regulations, first))]).toEqual([2, 'number']);
});

test('what was asked for by a clock that was ahead is done at the next start, once', async () => {
  await world.store.regulations.askCompaction({ at: world.clock.now() + 3_650 * DAY, now: true });
  await begin();
  await until(async () => (await world.store.regulations.compactionAsked()) === null);
  await until(resting);
  expect(compactions).toBe(1);
});

test('a disk that fails is told, and it is tried again later and later', async () => {
  const { regulations, compaction, trouble } = await begin();
  const id = await erased(regulations, 'a');
  const failures = [1, 2, 4];
  onProfiles = async () => {
    if (compactions <= failures.length) throw new Error('The disk is full.');
  };
  await compaction.ask();
  for (const [i, minutes] of failures.entries()) {
    await until(() => errors.length === i + 1 && resting());
    expect([trouble.words(), await compactedAt(regulations, id)]).toEqual([
      'a file was not written: The disk is full.',
      null,
    ]);
    world.clock.advance(minutes * 60_000 - 1);
    await until(resting);
    expect(compactions).toBe(i + 1);
    world.clock.advance(1);
  }
  await until(isCompacted(regulations, id));
  await until(() => trouble.words() === null);
});

test('a store that did not answer once is told until it answers again, not until the next compaction', async () => {
  const { regulations, trouble } = await begin();
  const expire = regulations.expire.bind(regulations);
  await until(resting);
  regulations.expire = () => Promise.reject(new Error('The store does not answer.'));
  world.clock.advance(30_000);
  await until(() => trouble.words() !== null && resting());
  regulations.expire = expire;
  world.clock.advance(60_000);
  await until(() => trouble.words() === null);
  expect([errors.length, compactions]).toEqual([1, 0]);
});

test('finished regulations are forgotten when they are too old', async () => {
  const { regulations } = await begin();
  await erased(regulations, 'a');
  world.clock.advance(DAY);
  const younger = await erased(regulations, 'b');
  world.clock.advance(KEEP - DAY / 2);
  await until(async () => (await regulations.list()).length === 1);
  expect((await regulations.list()).map(({ id }) => id)).toEqual([younger]);
});

test('a start is enough for that, also where no compaction is due', async () => {
  const first = await begin();
  const id = await erased(first.regulations, 'a');
  world.clock.advance(DAY);
  await until(isCompacted(first.regulations, id));
  await until(resting);
  const { clock } = world;
  // A clock that was set forward makes nothing older.
  const jumped = { now: () => clock.now(), after: clock.after.bind(clock), skipped: () => 2 * DAY };
  const restart = async (as: Clock): Promise<Regulations> => {
    for (const service of services.splice(0).toReversed()) await service.stop();
    return (await begin(as)).regulations;
  };
  clock.advance(KEEP);
  const early = await restart(jumped);
  await until(resting);
  expect(await early.list()).toHaveLength(1);
  const regulations = await restart(clock);
  await until(async () => (await regulations.list()).length === 0 || resting());
  expect(await regulations.list()).toEqual([]);
});
