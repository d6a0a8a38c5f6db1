import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../packages/server/src/core/clock.ts';
import type { Destination } from '../../packages/server/src/core/destination.ts';
import type { LogEntry } from '../../packages/server/src/core/event.ts';
import { BEYOND_ALL } from '../../packages/server/src/core/position.ts';
import type { Source } from '../../packages/server/src/core/source.ts';
import { sampleEvent } from '../../packages/server/src/log/conformance.ts';
import { pageOf } from '../../packages/server/src/log/entry-page.ts';
import type { DefinitionChange } from '../../packages/server/src/people/definitions.ts';
import type { FrontDoor } from '../../packages/server/src/people/outbox.ts';
import { People, type PeopleOptions } from '../../packages/server/src/people/people.ts';
import { openPeopleThreads } from '../../packages/server/src/people-threads.ts';
import { CRM } from '../../packages/server/src/settings/conformance.ts';
import { openPostgresStore } from '../../packages/server/src/stores/postgres/store.ts';
import { eventually } from '../system/kit/eventually.ts';
import { atOnce } from './at-once.ts';
import { connected } from './postgres.ts';
import { sharedPostgres } from './shared-postgres.ts';

const GRACE_PERIOD = 60_000;

// People/ on two nodes: threads, database, index, lead and notices are real; the stream and the settings are in memory.

const postgres = await sharedPostgres();

interface Node {
  readonly people: People;
  readonly errors: string[];
  /** How often this node looked at what another has changed. */
  looks: number;
  /** What its engine that does not lead finds when it looks is answered when this has resolved. */
  looking: Promise<void>;
  /** Leads no more. */
  resign(): Promise<void>;
  stop(): Promise<void>;
}

class Cluster {
  readonly url: string;
  readonly told: string[] = [];
  /** The caller that puts a source hears of it when this has resolved. */
  putting: Promise<void> = Promise.resolve();
  /** Sources that a node knows once it has caught up with the others. */
  readonly late: Source[] = [];
  /** Whether the settings have the sources of audiences and traits already. */
  knowsOwn = true;
  /** Nothing is taken by the log before this has resolved. */
  collecting: Promise<void> = Promise.resolve();
  /** What is done when the grace period of other nodes' changes ends, which a test says. */
  readonly graceEnds: (() => void)[] = [];
  readonly #stream: LogEntry[] = [];
  readonly #sources = new Map<string, Source>();
  readonly #destinations = new Map<string, Destination>();
  #ids = 0;

  constructor(url: string) {
    this.url = url;
    this.#sources.set('s', sourceOf('s'));
  }

  async node(): Promise<Node> {
    const errors: string[] = [];
    const clock: Clock = {
      now: () => Date.now(),
      after: (ms, run) => {
        if (ms === GRACE_PERIOD) this.graceEnds.push(run);
        return ms === GRACE_PERIOD ? () => undefined : later(ms, run);
      },
    };
    const store = await openPostgresStore({ url: this.url, clock, failed: (error) => errors.push(String(error)) });
    const { index } = store;
    const stream = this.#stream;
    const last = (): number => stream.at(-1)?.position ?? 0;
    const end = async (): Promise<number[]> => [last()];
    const threads = openPeopleThreads({ databaseUrl: this.url });
    const seen: Pick<Node, 'looks' | 'looking'> = { looks: 0, looking: Promise.resolve() };
    const { leading, changes, lead } = threads.threads.engines;
    const look = async (found: ReturnType<typeof changes.look>) => {
      const status = await found;
      seen.looks++;
      return status;
    };
    const engines: PeopleOptions['threads']['engines'] = {
      leading: overlaid(leading, { look: () => look(leading.look()) }),
      changes: overlaid(changes, {
        look: async () => {
          const status = await look(changes.look());
          await seen.looking;
          return status;
        },
      }),
      lead,
    };
    const people = new People({
      log: {
        nextAppend: () => new Promise((resolve) => later(100, resolve)),
        countAfter: (after, through) => index.countAfter(after, through),
        async scan(after, limit, through = BEYOND_ALL) {
          const found = stream.filter(({ position }) => position > after && position <= through);
          return pageOf(found.slice(0, limit));
        },
      },
      settings: this.#settings(),
      caughtUp: async () => {
        for (const source of this.late.splice(0)) this.put(source);
        return true;
      },
      threads: { ...threads.threads, engines },
      collect: this.#collect,
      end,
      shards: 1,
      rest: 1_000,
      keep: null,
      clock,
      newId: (kind) => `${kind}_${++this.#ids}`,
      newWriteKey: () => `key${++this.#ids}`,
      gracePeriod: GRACE_PERIOD,
      report: (error, what) => errors.push(`${what}: ${String(error)}`),
      watch: (changed) => store.watchProfiles(changed),
    });
    const unfollow = people.follow();
    const resign = store.lead('people', async (signal) => {
      const told = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await people.start();
      await told;
      await people.stop();
    });
    let stopped = false;
    const stop = async (): Promise<void> => {
      if (stopped) return;
      stopped = true;
      await resign();
      unfollow();
      await threads.close();
      await store.close();
    };
    onTestFinished(stop);
    return Object.assign(seen, { people, errors, resign, stop });
  }

  /** Sources that audiences and traits send under. */
  get ownSources(): readonly Source[] {
    return [...this.#sources.values()].filter(({ sentBy }) => sentBy !== undefined);
  }

  put(source: Source): void {
    this.#sources.set(source.id, source);
  }

  addDestination(id: string): void {
    this.#destinations.set(id, { ...CRM, id, sourceIds: [] });
  }

  /** Ids of the destinations that a source is connected to. */
  connectedTo(sourceId: string): string[] {
    return [...this.#destinations.values()].filter(({ sourceIds }) => sourceIds.includes(sourceId)).map(({ id }) => id);
  }

  /** A track call of each of these users is accepted, and in the index. */
  call(...userIds: readonly string[]): Promise<void> {
    return this.accept('s', ...userIds.map((userId) => ({ type: 'track', event: 'Order', userId, properties: {} })));
  }

  /** Calls of a source are accepted, and in the index. */
  async accept(sourceId: string, ...calls: readonly { readonly userId: string }[]): Promise<void> {
    const first = this.#stream.length;
    for (const call of calls) {
      const position = this.#stream.length + 1;
      const messageId = `m${position}`;
      const body = Buffer.from(JSON.stringify({ ...call, messageId, timestamp: new Date() }));
      this.#stream.push({ ...sampleEvent(sourceId, messageId, { body, userId: call.userId }), position });
    }
    const store = await openPostgresStore({
      ...{ url: this.url, clock: { now: () => Date.now(), after: later }, failed: () => undefined },
    });
    await store.index.add(0, this.#stream.slice(first), this.#stream.length, []);
    await store.close();
  }

  #settings(): PeopleOptions['settings'] {
    return {
      sources: () => [...this.#sources.values()],
      source: (id) => (this.knowsOwn || id === 's' ? this.#sources.get(id) : undefined),
      putSource: async (source) => {
        this.#sources.set(source.id, source);
        await this.putting;
      },
      deleteSource: async (id) => void this.#sources.delete(id),
      destinations: () => [...this.#destinations.values()],
      changeSource: async (id, change) => {
        const source = this.#sources.get(id);
        if (source) this.#sources.set(id, change(source));
      },
      changeDestination: async (id, change) => {
        const destination = this.#destinations.get(id);
        if (destination) this.#destinations.set(id, change(destination));
      },
    };
  }

  readonly #collect: FrontDoor = async (_, calls) => {
    await this.collecting;
    for (const { userId, messageId } of calls as { userId: string; messageId: string }[])
      this.told.push(`${userId} ${messageId}`);
    return [];
  };
}

/** The same object with other methods. */
function overlaid<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, { get: (target, name) => Reflect.get(name in methods ? methods : target, name) });
}

function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

function sourceOf(id: string): Source {
  const createdAt = new Date(0).toISOString();
  return { id, name: id, type: 'server', writeKey: id, enabled: true, createdAt, oldKey: null };
}

const users = ({ told }: Cluster): string[] => told.map((each) => each.split(' ')[0] ?? '');

test('each node answers and changes definitions, one works; another goes on when it is gone, and no user is told twice', async () => {
  const cluster = new Cluster(await postgres.migratedDatabase());
  const one = await cluster.node();
  const two = await cluster.node();
  await cluster.call('u1', 'u2');
  await eventually(
    () => two.people.state(),
    ({ persons, lag }) => persons === 2 && lag === 0,
  );
  const name = { name: 'Orderers', definition: { event: { name: 'Order' } } };
  // One of these is made by the node that does not lead.
  const first = await one.people.definitions.create('audience', name);
  const second = await two.people.definitions.create('trait', {
    name: 'Orders',
    definition: { compute: { count: true }, event: { name: 'Order' } },
  });
  const decided = (node: Node) =>
    eventually(
      async () => ({ all: await node.people.definitions.list(), state: await node.people.state() }),
      ({ all, state }) => state.outbox === 0 && all.every(({ job }) => job === null),
    );
  await decided(one);
  expect(users(cluster).toSorted()).toEqual(['u1', 'u1', 'u2', 'u2']);
  await expect(two.people.definitions.create('audience', name)).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(two.people.definitions.get('audience', 'nobody')).rejects.toMatchObject({ code: 'not_found' });

  await two.people.rebuild();
  for (const node of [one, two]) {
    await eventually(
      () => node.people.status(),
      ({ rebuilding }) => !rebuilding,
    );
  }
  await one.stop();
  await cluster.call('u3');
  await eventually(
    () => users(cluster),
    (all) => all.filter((user) => user === 'u3').length === 2,
  );
  await two.people.rebuild();
  await cluster.call('u4');
  await eventually(
    () => users(cluster),
    (all) => all.filter((user) => user === 'u4').length === 2,
  );
  const { all } = await decided(two);
  expect(all.map(({ id, size }) => [id, size]).toSorted()).toEqual(
    [
      [first.id, 4],
      [second.id, 4],
    ].toSorted(),
  );
  expect(cluster.told).toHaveLength(8);
  expect(new Set(cluster.told).size).toBe(8);

  const erased = await two.people.erase('reg_1', ['u1'], AbortSignal.timeout(20_000));
  expect(erased.ids).toEqual([['u1']]);
  await two.people.finishErasure('reg_1', AbortSignal.timeout(20_000));
  expect((await decided(two)).state.persons).toBe(3);
  expect([...one.errors, ...two.errors]).toEqual([]);
}, 90_000);

test('what a node found when it looked is not taken for how it stands after it has worked on', async () => {
  const cluster = new Cluster(await postgres.migratedDatabase());
  const leader = await cluster.node();
  const definition = { event: { name: 'Order' } };
  const { id } = await leader.people.definitions.create('audience', { name: 'Orderers', definition });
  const looking = Promise.withResolvers<void>();
  const collecting = Promise.withResolvers<void>();
  leader.looking = looking.promise;
  cluster.collecting = collecting.promise;
  await cluster.call('u1');
  await eventually(
    () => leader.people.status(),
    ({ outbox }) => outbox === 1,
  );
  const before = leader.looks;
  const other = await cluster.node();
  await other.people.definitions.update('audience', id, { name: 'Buyers' });
  await eventually(
    () => leader.looks,
    (looks) => looks > before,
  );
  collecting.resolve();
  await eventually(
    () => leader.people.status(),
    ({ outbox }) => outbox === 0,
  );
  looking.resolve();
  // It has heard the late answer then.
  await new Promise(setImmediate);
  expect(await leader.people.state()).toMatchObject({ outbox: 0 });
}, 60_000);

test('what is to be told stays until the node that tells it knows the source of the audience', async () => {
  const cluster = new Cluster(await postgres.migratedDatabase());
  const { people } = await cluster.node();
  const { id } = await people.definitions.create('audience', { name: 'A', definition: { event: { name: 'Order' } } });
  cluster.knowsOwn = false;
  await cluster.call('u1');
  await eventually(
    () => people.trouble(),
    (trouble) => trouble?.includes(`The source of ${id} is not known yet.`) ?? false,
  );
  cluster.knowsOwn = true;
  await eventually(
    () => people.status(),
    ({ outbox }) => outbox === 0,
  );
  expect(users(cluster)).toEqual(['u1']);
}, 60_000);

test('an alias of a server source that another node has just made is a server’s', async () => {
  const cluster = new Cluster(await postgres.migratedDatabase());
  const { people } = await cluster.node();
  await cluster.call('old', 'new');
  await eventually(
    () => people.state(),
    ({ persons }) => persons === 2,
  );
  cluster.late.push(sourceOf('late'));
  const alias = { type: 'alias', userId: 'new', 'User ID': 'new', 'Previous ID': 'old' };
  await cluster.accept('late', alias);
  await eventually(
    () => people.state(),
    ({ lag }) => lag === 0,
  );
  expect((await people.state()).persons).toBe(1);
}, 60_000);

test('a circle that two nodes make at the same moment, and a key that both give, are refused as on one node', async () => {
  const cluster = new Cluster(await postgres.migratedDatabase());
  const one = await cluster.node();
  const two = await cluster.node();
  const make = (node: Node, name: string) =>
    node.people.definitions.create('audience', { name, definition: { event: { name } } });
  const [a, b] = [await make(one, 'A'), await make(one, 'B')];
  const ask = (node: Node, id: string, other: string) =>
    node.people.definitions.update('audience', id, { definition: { audience: other } });
  const circle = await atOnce(cluster.url, [() => ask(one, a.id, b.id), () => ask(two, b.id, a.id)]);
  expect(circle).toEqual([{ code: 'invalid_input', message: expect.stringMatching(/in a circle: .* → /) }]);
  const key = await atOnce(cluster.url, [() => make(one, 'Same'), () => make(two, 'Same')]);
  expect(key).toEqual([{ code: 'invalid_input', message: expect.stringContaining('key of another audience') }]);
  expect(await two.people.definitions.list()).toHaveLength(3);
  expect(cluster.ownSources).toHaveLength(3);
}, 60_000);

test('of an audience that one node deletes while another makes one that asks about it, the later is refused', async () => {
  const cluster = new Cluster(await postgres.migratedDatabase());
  const [one, two] = [await cluster.node(), await cluster.node()];
  const make = (node: Node, name: string, definition: object) =>
    node.people.definitions.create('audience', { name, definition });
  const names = async () => (await one.people.definitions.list()).map(({ name }) => name);
  const { id } = await make(one, 'Asked', { event: { name: 'A' } });
  const ask = () => make(two, 'Asks', { audience: id });
  const remove = () => one.people.definitions.delete('audience', id);
  const used = { code: 'conflict', message: expect.stringContaining('part of the definition of "Asks"') };
  expect(await atOnce(cluster.url, [ask, remove])).toEqual([used]);
  expect(await names()).toEqual(['Asked', 'Asks']);
  const [, asks] = await one.people.definitions.list();
  await one.people.definitions.delete('audience', asks?.id ?? '');
  const gone = { code: 'invalid_input', message: expect.stringContaining('there is no audience') };
  expect(await atOnce(cluster.url, [remove, ask])).toEqual([gone]);
  expect(await names()).toEqual([]);
  expect(cluster.ownSources).toEqual([]);
}, 60_000);

test('of two changes of an audience with one revision at two nodes one is made, and the other connects nothing', async () => {
  const cluster = new Cluster(await postgres.migratedDatabase());
  const one = await cluster.node();
  const two = await cluster.node();
  for (const id of ['dst_1', 'dst_2']) cluster.addDestination(id);
  const { definitions } = one.people;
  const { id, sourceId } = await definitions.create('audience', {
    name: 'Orderers',
    definition: { event: { name: 'Order' } },
  });
  const change = (node: Node, to: DefinitionChange, expected: number) => () =>
    node.people.definitions.update('audience', id, to, (revision) => revision === expected);
  const current = async () => definitions.revision(await definitions.get('audience', id));
  const refused = [{ code: 'changed_meanwhile', message: expect.stringContaining('was changed since') }];

  const first = await current();
  const connect = { destinationIds: ['dst_1'] };
  expect(await atOnce(cluster.url, [change(one, { name: 'Buyers' }, first), change(two, connect, first)])).toEqual(
    refused,
  );
  expect(cluster.connectedTo(sourceId)).toEqual([]);

  const second = await current();
  const other = { destinationIds: ['dst_2'] };
  expect(await atOnce(cluster.url, [change(one, connect, second), change(two, other, second)])).toEqual(refused);
  expect(cluster.connectedTo(sourceId)).toEqual(['dst_1']);

  // What has connected destinations already is made whole, also when a change without a version comes between.
  const both = { name: 'Buyers of all', destinationIds: [] };
  const rename = (name: string) => () => two.people.definitions.update('audience', id, { name });
  expect(await atOnce(cluster.url, [change(one, both, await current()), rename('Renamed')])).toEqual([]);
  expect(cluster.connectedTo(sourceId)).toEqual([]);

  const twice = await definitions.create('audience', { name: 'Twice', definition: { event: { name: 'Order' } } });
  const removeTwice = (node: Node) => () =>
    node.people.definitions.delete('audience', twice.id, (revision) => revision === 1);
  const gone = [{ code: 'not_found', message: `There is no audience ${twice.id}.` }];
  expect(await atOnce(cluster.url, [removeTwice(one), removeTwice(two)])).toEqual(gone);

  const remove = () => one.people.definitions.delete('audience', id);
  expect(await atOnce(cluster.url, [remove, rename('Removed')])).toMatchObject([{ code: 'not_found' }]);
  expect(await definitions.list()).toEqual([]);
}, 60_000);

test('a node that begins to lead leaves the source of an audience that is being made, and removes one that no audience needs', async () => {
  const cluster = new Cluster(await postgres.migratedDatabase());
  const making = await cluster.node();
  const { promise, resolve } = Promise.withResolvers<void>();
  cluster.putting = promise;
  const made = making.people.definitions.create('audience', { name: 'A', definition: { event: { name: 'Order' } } });
  await eventually(
    () => cluster.ownSources,
    ({ length }) => length === 1,
  );
  cluster.put({ ...sourceOf('src_lost'), sentBy: 'aud_lost' });
  await making.resign();
  // It may have begun to lead when the first of them was there, and waits for that one alone.
  const before = cluster.graceEnds.length;
  await cluster.node();
  await eventually(
    () => cluster.graceEnds.length,
    (waiting) => waiting > before,
  );
  expect(cluster.ownSources).toHaveLength(2);
  resolve();
  const { sourceId } = await made;
  for (const run of cluster.graceEnds) run();
  await eventually(
    () => cluster.ownSources.map(({ id }) => id),
    (ids) => ids.length === 1 && ids[0] === sourceId,
  );
  await cluster.call('u1');
  await eventually(
    () => users(cluster),
    (all) => all.includes('u1'),
  );
}, 60_000);

test('a step that fails is told for as long as it does, and goes on by itself', async () => {
  const url = await postgres.migratedDatabase();
  const cluster = new Cluster(url);
  const { people, errors } = await cluster.node();
  const definition = { event: { name: 'Order' } };
  await people.definitions.create('audience', { name: 'Buyers', definition });
  await using admin = await connected(url);
  await admin.query('ALTER TABLE millrace.profile_seen RENAME TO away');
  await cluster.call('u1');
  await eventually(
    () => people.trouble(),
    (trouble) => trouble === 'the calls could not be taken in: relation "profile_seen" does not exist',
  );
  expect(errors).toContainEqual(expect.stringContaining('the calls could not be taken in; trying again'));
  await admin.query('ALTER TABLE millrace.away RENAME TO profile_seen');
  await eventually(
    () => ({ told: users(cluster), trouble: people.trouble() }),
    ({ told, trouble }) => told.includes('u1') && trouble === null,
  );
});
