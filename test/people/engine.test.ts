import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EngineStatus } from '../../packages/server/src/people/engine-status.ts';
import type { ExpiryPlace } from '../../packages/server/src/people/expiring.ts';
import { PeopleQueries } from '../../packages/server/src/people/queries.ts';
import { columnsOf, DAY, definitionOf, entryOf, HOUR, PeopleWorld, START, type What } from './world.ts';

// Single rules of the engine that the model in model.test.ts meets too seldom.

let world: PeopleWorld;
let now: number;
let position: number;
let status: EngineStatus;
beforeEach(async () => {
  world = await PeopleWorld.open();
  now = START;
  position = 0;
});
afterEach(() => world.close());

async function call(body: Readonly<Record<string, unknown>>, at = now): Promise<void> {
  position++;
  status = await world.engine.take(
    columnsOf([entryOf({ sourceId: 's', at, body }, position)], () => true),
    now,
  );
}

const track = (userId: string, event: string, at = now): Promise<void> =>
  call({ type: 'track', userId, event, properties: {} }, at);

async function define(id: string, what: What): Promise<void> {
  status = await world.engine.put(definitionOf(id, what, now), true, now);
  while (status.working) status = await world.engine.work(now);
}

async function said(): Promise<string[]> {
  return (await world.engine.outbox(100)).map(
    ({ definitionId, userId, value }) => `${definitionId} ${userId} ${value}`,
  );
}

const ordered: What = { audience: { event: { name: 'Order' }, during: { lastHours: 1 } } };

test('a person has so many traits and groups and no more; those that are there still change', async () => {
  const traits = (from: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`t${from + i}`, value]));
  for (const from of [0, 600, 1200]) await call({ type: 'identify', userId: 'u', traits: traits(from, 'old') });
  await call({ type: 'identify', userId: 'u', traits: traits(600, 'new') });
  await call({ type: 'identify', userId: 'u', traits: { long: 'x'.repeat(20_000), t0: 'x'.repeat(20_000), t1: 'é"' } });
  for (let i = 0; i < 1_010; i++) await call({ type: 'group', userId: 'u', groupId: `g${i}`, traits: {} });
  const [identity] = await world.store.identities(['u']);
  const person = identity?.person ?? 0;
  for (const kind of ['traits', 'groups'] as const) {
    expect((await world.store.held(kind, [person], 1_000)).get(person)?.size).toBe(1_000);
  }
  const needs = { traits: 'all', groupTraits: new Set<string>(), events: [] } as const;
  const known = (await world.store.facts([person], needs, now)).get(person)?.traits;
  const values = ['t0', 't1', 't599', 't600', 't999', 't1000', 'long'].map((name) => known?.get(name)?.value);
  expect(values).toEqual(['old', 'é"', 'old', 'new', 'new', undefined, undefined]);
});

test('definitions are read once for all who wait at that time, and anew for who comes later', async () => {
  let reads = 0;
  const read = world.store.definitions.bind(world.store);
  world.store.definitions = () => {
    reads++;
    return read();
  };
  const lists = await Promise.all([1, 2, 3].map(() => world.engine.definitions()));
  expect([reads, ...lists]).toEqual([1, [], [], []]);
  await define('A', ordered);
  reads = 0;
  expect(await world.engine.definitions()).toHaveLength(1);
  expect(reads).toBe(1);
});

test('whose old events are forgotten is decided anew, and an audience that counted them tells who leaves', async () => {
  await define('A', { audience: { event: { name: 'Order' }, count: { atLeast: 2 } } });
  await track('ada', 'Order', START - 2 * DAY);
  await track('ada', 'Order');
  await track('bob', 'Order');
  await track('bob', 'Order');
  expect(await said()).toEqual(['A ada true', 'A bob true']);
  for (let from: ExpiryPlace | null = { kind: 0 }; from !== null; ) {
    ({ next: from } = await world.engine.expire(START - DAY, from, now));
  }
  expect(await said()).toEqual(['A ada true', 'A bob true', 'A ada false']);
});

test('an id that is taken out of its person keeps the sources that spoke of them: a deletion has to reach those', async () => {
  await call({ type: 'identify', userId: 'u', anonymousId: 'browser', traits: {} });
  status = await world.engine.takeOut('browser', now);
  const [user, browser] = await world.store.identities(['u', 'browser']);
  const persons = [user?.person ?? 0, browser?.person ?? 0];
  expect(new Set(persons).size).toBe(2);
  expect(await world.store.sourcesOf(persons)).toEqual(new Map(persons.map((person) => [person, ['s']])));
});

test('a body that is no JSON, as an earlier version could store it, holds up nothing', async () => {
  const entry = entryOf({ sourceId: 's', at: now, body: {} }, ++position);
  const broken = { ...entry, body: Buffer.from('{"type":"track","timestamp":"2020-01-01\n') };
  await world.engine.take(
    columnsOf([broken], () => true),
    now,
  );
  await track('ada', 'Order');
  expect(await world.store.identities(['ada'])).toHaveLength(1);
});

test('what one member says of a group concerns all who belong to it', async () => {
  await define('A', { audience: { groupTrait: 'size', is: { atLeast: 10 } } });
  const join = (userId: string, traits: object): Promise<void> => call({ type: 'group', userId, groupId: 'g', traits });
  await join('u1', { size: 1 });
  await join('u2', {});
  await join('u3', { size: 20 });
  expect(await said()).toEqual(['A u3 true']);
  expect(status.nextDue).toBe(now);
  status = await world.engine.slide(now);
  expect((await said()).toSorted()).toEqual(['A u1 true', 'A u2 true', 'A u3 true']);
});

test('an audience that asks about another is not decided by what that was before it came due', async () => {
  await define('A', ordered);
  await define('B', { audience: { all: [{ audience: 'A' }, { trait: 'plan', is: { equals: 'pro' } }] } });
  await track('u1', 'Order');
  now += HOUR;
  await call({ type: 'identify', userId: 'u1', traits: { plan: 'pro' } });
  expect(await said()).toEqual(['A u1 true', 'A u1 false']);
});

test('when time changes an audience, time changes those that ask about it', async () => {
  const queries = new PeopleQueries(world.store, () => undefined);
  const why = async (id: string) => {
    const definition = (await world.store.definitions()).find((one) => one.id === id);
    return definition && queries.why(definition, 'u1', now);
  };
  await define('A', ordered);
  await define('B', { audience: { not: { audience: 'A' } } });
  await define('C', { audience: { any: [{ audience: 'B' }, { trait: 'plan', is: { exists: true } }] } });
  await track('u1', 'Order');
  for (const id of ['A', 'B', 'C']) expect(await why(id)).toMatchObject({ changesAt: now + HOUR });
  expect(await why('C')).toMatchObject({ value: false, any: [{ changesAt: now + HOUR }, { changesAt: null }] });
  await call({ type: 'identify', userId: 'u1', traits: { plan: 'pro' } });
  expect(await why('C')).toMatchObject({ value: true, changesAt: null });
});

test('a computation of one that asks about another waits for what is due there', async () => {
  await define('A', ordered);
  await track('u1', 'Order');
  now += HOUR;
  await define('B', { audience: { not: { audience: 'A' } } });
  expect(await said()).toEqual(['A u1 true']);
  status = await world.engine.slide(now);
  expect(await said()).toEqual(['A u1 true', 'A u1 false', 'B u1 true']);
});

test('what a rebuild finds untrue is told, also of who was due elsewhere when it was computed', async () => {
  await define('A', ordered);
  await define('B', { audience: { audience: 'A' } });
  await track('u1', 'Order');
  const order = columnsOf(
    [entryOf({ sourceId: 's', at: now, body: { type: 'track', userId: 'u1', event: 'Order', properties: {} } }, 1)],
    () => true,
  );
  status = await world.engine.rebuild(now);
  status = await world.engine.take(order, now);
  status = await world.engine.rebuilt(status.reached, now);
  // The first of two computations: A.
  status = await world.engine.work(now);
  now += HOUR;
  while (status.working) status = await world.engine.work(now);
  expect(await said()).toEqual(['A u1 true', 'B u1 true']);
  status = await world.engine.slide(now);
  expect(await said()).toEqual(['A u1 true', 'B u1 true', 'A u1 false', 'B u1 false']);
});

test('what comes due of a definition that is gone is passed over', async () => {
  await define('A', ordered);
  await track('u1', 'Order');
  status = await world.engine.forget('A', now);
  while (status.working) status = await world.engine.work(now);
  expect(await said()).toEqual([]);
  now += HOUR;
  status = await world.engine.slide(now);
  expect(status.nextDue).toBeNull();
});

test('events of the past that are imported are told as they are now, without what they were', async () => {
  await define('A', ordered);
  await define('B', { audience: { event: { name: 'Order' }, count: { exactly: 2 } } });
  await call({ type: 'track', userId: 'u1', event: 'Order', properties: {} }, now - 3 * DAY);
  await call({ type: 'track', userId: 'u1', event: 'Order', properties: {} }, now - 2 * DAY);
  expect(await said()).toEqual(['B u1 true']);
});

test('after a long stop what came due is told as it is now', async () => {
  await define('A', ordered);
  await track('u1', 'Order');
  await track('u1', 'Order', now + 3 * HOUR);
  await world.crash();
  now += 3 * HOUR + 1;
  status = await world.engine.slide(now);
  expect(await said()).toEqual(['A u1 true']);
});

test('who has no user id is told when they get one', async () => {
  await define('A', ordered);
  await call({ type: 'track', userId: null, anonymousId: 'a1', event: 'Order', properties: {} });
  expect(await said()).toEqual([]);
  await call({ type: 'identify', userId: 'u1', anonymousId: 'a1', traits: {} });
  expect(await said()).toEqual(['A u1 true']);
});

/** What is defined while an hour begins has no size then. */
async function defineBefore(id: string, what: What): Promise<void> {
  now -= 1;
  await define(id, what);
  now += 1;
  status = await world.engine.slide(now);
}

test('keeps the size with which each hour began', async () => {
  await defineBefore('A', ordered);
  for (const user of ['u1', 'u2']) await track(user, 'Order');
  now += HOUR;
  status = await world.engine.slide(now);
  now += HOUR;
  status = await world.engine.slide(now);
  const sizes = await world.store.sizes('A', 0);
  expect(sizes.map(({ at, size }) => [at % HOUR, size])).toEqual([
    [0, 0],
    [0, 2],
    [0, 0],
  ]);
});

test('while profiles are rebuilt no size is kept, and no sync begins', async () => {
  await defineBefore('A', ordered);
  status = await world.engine.rebuild(now);
  now += HOUR;
  status = await world.engine.slide(now);
  expect(await world.store.sizes('A', 0)).toHaveLength(1);
  expect(await world.engine.sync('A', now)).toMatchObject({ rebuilding: true });
  expect((await world.store.definitions()).map(({ job }) => job)).toEqual([null]);
});

test('no size is kept of what is being computed: not all of its persons are counted', async () => {
  await define('A', { audience: { event: { name: 'Order' } } });
  await track('u1', 'Order');
  status = await world.engine.rebuild(now);
  await track('u1', 'Order');
  status = await world.engine.rebuilt(status.reached, now);
  now += HOUR;
  while (status.working) status = await world.engine.work(now);
  now += HOUR;
  status = await world.engine.slide(now);
  expect((await world.store.sizes('A', START + 1)).map(({ size }) => size)).toEqual([1]);
});

test('who is joined to an older person stays a member since when they were', async () => {
  await call({ type: 'identify', anonymousId: 'laptop', traits: {} });
  await define('A', { audience: { event: { name: 'Order' } } });
  await track('ada', 'Order');
  const since = now;
  now += DAY;
  await call({ type: 'identify', userId: 'ada', anonymousId: 'laptop', traits: {} });
  expect(await world.store.members('A', 10, 9)).toMatchObject([{ person: 1, userId: 'ada', since }]);
  expect(await said()).toEqual(['A ada true']);
  expect((await world.store.definitions())[0]?.size).toBe(1);
});

test('who has so many events that the one goes that an audience asks for is decided anew', async () => {
  await define('A', { audience: { event: { type: 'page', name: 'Rare' } } });
  const view = (name: string, i: number) => {
    position++;
    const body = { type: 'page', userId: 'ada', name, properties: {}, messageId: `m${i}` };
    return entryOf({ sourceId: 's', at: now + i, body }, position);
  };
  const take = async (entries: ReturnType<typeof view>[]) => {
    status = await world.engine.take(
      columnsOf(entries, () => true),
      now + 20_000,
    );
  };
  await take([view('Rare', 0)]);
  expect(await said()).toEqual(['A ada true']);
  await take(Array.from({ length: 11_500 }, (_, i) => view('Home', i + 1)));
  expect(await said()).toEqual(['A ada true', 'A ada false']);
});

test('of a call, what profiles said themselves and what another person has are not missed', async () => {
  const queries = new PeopleQueries(world.store, () => undefined);
  const asked = { id: 'dev', sourceId: 's', position: 1, groupId: null };
  const long = 'x'.repeat(20_000);
  await call({ type: 'identify', userId: 'x', anonymousId: 'dev', traits: { color: 'red' } });
  await call({ type: 'identify', userId: 'y', anonymousId: 'dev', traits: {} });
  expect(await queries.notKept({ ...asked, traits: { color: 'red', long } })).toEqual({
    traits: ['long'],
    group: null,
  });
  await define('A', ordered);
  const [own = ''] = await world.store.ownSources();
  await world.engine.take(
    columnsOf(
      [entryOf({ sourceId: own, at: now, body: { type: 'identify', userId: 'x', traits: { long } } }, 9)],
      () => true,
    ),
    now,
  );
  expect(await queries.notKept({ ...asked, sourceId: own, traits: { long } })).toEqual({ traits: [], group: null });
});

test('an hour keeps the size it began with, and none of a definition from after that, whenever the service starts again', async () => {
  await defineBefore('A', ordered);
  now += HOUR;
  await track('u1', 'View');
  now += HOUR / 2;
  await track('u1', 'Order');
  await define('B', ordered);
  await world.crash();
  await track('u2', 'Order');
  const sizes = await world.store.sizes('A', 0);
  expect(sizes.map(({ size }) => size)).toEqual([0, 0]);
  expect(await world.store.sizes('B', 0)).toEqual([]);
});

test('a change of its name leaves the job of a definition where it is by then', async () => {
  await world.close();
  world = await PeopleWorld.open(1);
  await define('A', { audience: { event: { name: 'Order' } } });
  for (const user of ['u1', 'u2', 'u3']) await track(user, 'Order');
  const told = (await world.engine.outbox(100)).map(({ id }) => id);
  status = await world.engine.told(told, now);
  status = await world.engine.sync('A', now);
  const [before] = await world.engine.definitions();
  status = await world.engine.work(now);
  status = await world.engine.put({ ...(before ?? definitionOf('A', ordered, now)), name: 'B' }, false, now);
  while (status.working) status = await world.engine.work(now);
  expect(await said()).toEqual(['A u3 true', 'A u2 true', 'A u1 true']);
});

test('a member who becomes an older person while all are told again is told too', async () => {
  await world.close();
  world = await PeopleWorld.open(1);
  await define('A', { audience: { event: { name: 'Order' } } });
  await call({ type: 'identify', userId: null, anonymousId: 'phone', traits: {} });
  for (const user of ['u2', 'u3', 'u4']) await track(user, 'Order');
  status = await world.engine.told(
    (await world.engine.outbox(100)).map(({ id }) => id),
    now,
  );
  status = await world.engine.sync('A', now);
  status = await world.engine.work(now);
  await call({ type: 'identify', userId: 'u3', anonymousId: 'phone', traits: {} });
  while (status.working) status = await world.engine.work(now);
  expect((await said()).toSorted()).toEqual(['A u2 true', 'A u3 true', 'A u4 true']);
});

test('a sync that a change of the definition, or a rebuild, takes the place of begins again after it', async () => {
  await world.close();
  world = await PeopleWorld.open(1);
  await define('A', { audience: { event: { name: 'Order' } } });
  for (const user of ['u1', 'u2']) await track(user, 'Order');
  const taken = async (): Promise<void> => {
    const told = await world.engine.outbox(100);
    status = await world.engine.told(
      told.map(({ id }) => id),
      now,
    );
  };
  await taken();
  status = await world.engine.sync('A', now);
  await define('A', { audience: { event: { type: 'track', name: 'Order' } } });
  expect((await said()).toSorted()).toEqual(['A u1 true', 'A u2 true']);
  await taken();
  status = await world.engine.sync('A', now);
  status = await world.engine.rebuild(now);
  for (const user of ['u1', 'u2']) await track(user, 'Order');
  status = await world.engine.rebuilt([position], now);
  while (status.working) status = await world.engine.work(now);
  expect((await said()).toSorted()).toEqual(['A u1 true', 'A u2 true']);
  expect((await world.store.definitions()).map(({ job }) => job)).toEqual([null]);
});

test('what a clock that was ahead has decided is decided anew when the service starts with the right one', async () => {
  await define('A', ordered);
  await track('u1', 'Order');
  const right = now;
  now += 2 * DAY;
  status = await world.engine.slide(now);
  expect(await said()).toEqual(['A u1 true', 'A u1 false']);
  await world.crash();
  now = right + 1;
  status = await world.engine.slide(now);
  while (status.working) status = await world.engine.work(now);
  expect(await said()).toEqual(['A u1 true', 'A u1 false', 'A u1 true']);
  expect((await world.store.sizes('A', 0)).filter(({ at }) => at > now)).toEqual([]);
});

test('a deletion reaches the sources that told of a user, also when a rebuild no longer found them', async () => {
  await define('A', ordered);
  await track('u1', 'Order');
  const [own = ''] = await world.store.ownSources();
  status = await world.engine.rebuild(now);
  status = await world.engine.rebuilt([], now);
  expect([...(await new PeopleQueries(world.store, () => undefined).reach(['u1'])).sources]).toEqual([own]);
  status = await world.engine.erase('reg', ['u1'], [], now);
  expect((await world.engine.erasure('reg'))?.sources).toEqual([[own]]);
});
