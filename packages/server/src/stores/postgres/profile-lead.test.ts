import { expect, onTestFinished, test } from 'vitest';
import { connected } from '../../../../../test/cluster/postgres.ts';
import { sharedPostgres } from '../../../../../test/cluster/shared-postgres.ts';
import { startTcpProxy } from '../../../../../test/cluster/tcp-proxy.ts';
import { columnsOf, definitionOf, entryOf, START, type TestCall, type What } from '../../../../../test/people/world.ts';
import { Engine } from '../../people/engine.ts';
import { readPersons } from '../../people/records.ts';
import { Leadership } from './leadership.ts';
import { migrate } from './migrations.ts';
import type { LeadingProfileStore } from './profile-store.ts';
import { openProfileStores, type ProfileStores } from './profile-store.ts';

const postgres = await sharedPostgres();

/** Two nodes on one database. */
async function nodes(): Promise<{ url: string; a: ProfileStores; b: ProfileStores }> {
  const url = await postgres.migratedDatabase();
  await migrate(url);
  const [a, b] = [openProfileStores(url), openProfileStores(url)];
  onTestFinished(async () => {
    await Promise.all([a.close(), b.close()]);
  });
  return { url, a, b };
}

const orders: What = { audience: { event: { name: 'Order' } } };
const order = (userId: string): TestCall => ({
  ...{ sourceId: 's', at: START, body: { type: 'track', userId, event: 'Order', properties: {} } },
});
const positionAt = (position: number) => new Map([['s', position]]);

test('who led before can commit nothing any more, and who leads now goes on with what it left', async () => {
  const { a, b } = await nodes();
  await a.leading.lead();
  await a.leading.transaction((writer) => writer.setPositions(positionAt(1)));
  await b.leading.lead();
  const late = a.leading.transaction((writer) => writer.setPositions(positionAt(2)));
  await expect(late).rejects.toMatchObject({ code: 'storage_unavailable', message: expect.stringContaining('leads') });
  expect(await b.leading.positions()).toEqual(positionAt(1));
  const seen = await b.leading.transaction(async (writer, changed) => [changed, await writer.positions()]);
  expect(seen).toEqual([true, positionAt(1)]);
  expect(await b.leading.transaction(async (_, changed) => changed)).toBe(false);
});

test('who asks for definitions of a database that hangs is refused before the leading process gives up its step', async () => {
  const url = await postgres.migratedDatabase();
  const proxy = await startTcpProxy(Number(new URL(url).port));
  const stores = openProfileStores(Object.assign(new URL(url), { port: String(proxy.port) }).href);
  onTestFinished(async () => {
    await stores.close();
    await proxy.close();
  });
  const ends: string[] = [];
  const read = (name: 'leading' | 'changes') =>
    stores[name].definitions().then(
      () => undefined,
      () => void ends.push(name),
    );
  await Promise.all([read('leading'), read('changes')]);
  proxy.block();
  void read('leading');
  await read('changes');
  expect(ends).toEqual(['changes']);
});

test('who begins to lead waits for the transaction that is under way', async () => {
  const { a, b } = await nodes();
  await a.leading.lead();
  const [under, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const last = a.leading.transaction(async (writer) => {
    under.resolve();
    await go.promise;
    await writer.setPositions(positionAt(5));
  });
  await under.promise;
  const led = b.leading.lead().then(() => b.leading.positions());
  go.resolve();
  await last;
  expect(await led).toEqual(positionAt(5));
});

test('a definition that another node makes is worked on by the one that leads; neither decides by what it knew before', async () => {
  const { a, b } = await nodes();
  await a.leading.lead();
  const [leader, changes] = [new Engine(a.leading), new Engine(b.changes)];
  await leader.look();
  await leader.take(
    columnsOf([entryOf(order('u1'), 1)], () => true),
    START,
  );
  expect(await changes.put(definitionOf('A', orders, START), true, START)).toMatchObject({ working: true });
  let status = await leader.look();
  expect(status.working).toBe(true);
  while (status.working) status = await leader.work(START);
  expect((await leader.outbox(9)).map(({ userId }) => userId)).toEqual(['u1']);
  await leader.take(
    columnsOf([entryOf(order('u2'), 2)], () => true),
    START,
  );
  expect(await changes.look()).toMatchObject({ outbox: 2, working: false });
  await changes.forget('A', START);
  // Without another look: the step itself sees it.
  status = await leader.take(
    columnsOf([entryOf(order('u3'), 3)], () => true),
    START,
  );
  expect(status).toMatchObject({ outbox: 2, working: true });
});

test('the lead goes from node to node while it is worked: nothing is taken in twice, missed, or computed by two at once', async () => {
  const { url, a, b } = await nodes();
  await using admin = await connected(url);
  await new Engine(a.changes).put(definitionOf('A', orders, START), true, START);
  const calls = Array.from({ length: 60 }, (_, i) => entryOf(order(`u${i}`), i + 1));
  const done = Promise.withResolvers<void>();
  let computing = 0;
  let most = 0;
  let taken = 0;
  const leads: string[] = [];
  const watched = (store: LeadingProfileStore): LeadingProfileStore =>
    new Proxy(store, {
      get(target, name) {
        if (name === 'transaction') {
          const transaction: LeadingProfileStore['transaction'] = (work) =>
            target.transaction(async (writer, changed) => {
              most = Math.max(most, ++computing);
              try {
                return await work(writer, changed);
              } finally {
                computing--;
              }
            });
          return transaction;
        }
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const leaderships = [a, b].map((stores, i) => {
    const leadership = new Leadership({ url, every: 20, lease: 30_000, failed: () => undefined });
    const store = watched(stores.leading);
    leadership.lead('people', async (signal) => {
      leads.push(`node ${i}`);
      await store.lead();
      const engine = new Engine(store);
      let status = await engine.look();
      // It works on for a while though it was told to stop: a node may be late.
      for (let late = 0; late < 3; late += Number(signal.aborted)) {
        const last = (await store.positions()).get('s') ?? 0;
        if (last === calls.length && !status.working) return done.resolve();
        // The last one comes again, as after a crash.
        status = await engine.take(
          columnsOf(calls.slice(Math.max(0, last - 1), last + 1), () => true),
          START,
        );
        if (status.working) status = await engine.work(START);
        if (++taken % 15 === 0) await admin.query(END_LEADER);
      }
    });
    return leadership;
  });
  onTestFinished(async () => {
    await Promise.all(leaderships.map((leadership) => leadership.close()));
  });
  await done.promise;
  expect(most).toBe(1);
  expect(leads.length).toBeGreaterThan(2);
  expect((await a.leading.outbox(100)).map(({ userId }) => userId).toSorted()).toEqual(
    calls.map((_, i) => `u${i}`).toSorted(),
  );
  expect(await a.leading.persons()).toBe(calls.length);
}, 60_000);

test('names and ids of any length and any characters stay what they are', async () => {
  const { a } = await nodes();
  await a.leading.lead();
  const engine = new Engine(a.leading);
  await engine.look();
  // What compression can't make short.
  const long = Array.from({ length: 400 }, () => crypto.randomUUID()).join('');
  const odd = 'nul \0, half \ud83d, \\0041, 😀';
  const said = { [long]: odd, [odd]: long, __proto__: null };
  await engine.take(
    columnsOf(
      [
        { userId: long, type: 'identify', traits: said },
        { userId: long, anonymousId: odd.toWellFormed(), type: 'group', groupId: odd, traits: said },
        { userId: long, type: 'track', event: long, properties: said },
        { userId: long, type: 'track', event: odd, properties: said },
      ].map((body, i) => entryOf({ sourceId: 's', at: START, body }, i + 1)),
      () => true,
    ),
    START,
  );
  const [identity] = await a.leading.identities([long]);
  const all = { traits: 'all', groupTraits: new Set(Object.keys(said)) } as const;
  const events = [long, odd].map((name) => ({ type: 'track' as const, name, lookBack: Infinity }));
  const [record] = await readPersons(a.leading, [identity?.person ?? 0], { ...all, events }, 'all', START);
  expect(record?.userId).toBe(long);
  expect(new Map([...(record?.who.traits ?? [])].map(([name, { value }]) => [name, value]))).toEqual(
    new Map(Object.entries(said)),
  );
  expect([...(record?.who.groups ?? [])]).toEqual([[odd, new Map(Object.entries(said))]]);
  expect(record?.who.events.map(({ name, properties }) => [name, properties])).toEqual([
    [long, said],
    [odd, said],
  ]);
  expect((await a.leading.find(long.slice(0, 300), 9)).map(({ id }) => id)).toEqual([long]);
  expect((await a.leading.find('nul', 9)).map(({ id }) => id)).toEqual([odd.toWellFormed()]);
});

test('a compaction removes the rows of an erased person when the last transaction that sees them has ended', async () => {
  const { url, a } = await nodes();
  await a.leading.lead();
  const engine = new Engine(a.leading);
  await engine.look();
  await engine.take(
    columnsOf([entryOf(order('u1'), 1)], () => true),
    START,
  );
  await using admin = await connected(url);
  await admin.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await admin.query('SELECT FROM millrace.profile_events');
  await engine.erase('reg_1', ['u1'], [1], START);
  await engine.sweep('reg_1', START);
  expect(await engine.compact()).toBe(false);
  expect((await admin.query('SELECT FROM millrace.profile_events')).rowCount).toBe(1);
  await admin.query('COMMIT');
  expect(await engine.compact()).toBe(true);
  // The next one lies where they lay.
  await engine.take(
    columnsOf([entryOf(order('u2'), 2)], () => true),
    START,
  );
  expect((await admin.query('SELECT ctid::text AS place FROM millrace.profile_events')).rows).toEqual([
    { place: '(0,1)' },
  ]);
});

const END_LEADER = `SELECT pg_terminate_backend(pid) FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
