import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RefusedDefinition } from '../../packages/server/src/people/definitions.ts';
import { eventually } from '../system/kit/eventually.ts';
import { type Arrival, receive } from '../system/kit/receiver.ts';
import type { Settings } from '../system/kit/service.ts';
import { PeopleService } from './service.ts';
import { DAY, HOUR } from './world.ts';

async function world(settings: Settings = {}) {
  const service = await new PeopleService(settings).start();
  onTestFinished(() => service.close());
  const receiver = await receive();
  const source = await service.source();
  await service.destination(source, receiver.url('/all'));
  const told = await service.destination(source, receiver.url('/told'), { sourceIds: [] });
  const track = (userId: string, event: string, more: object = {}): Promise<unknown> =>
    service.accept(source, { userId, event, ...more });
  return { service, receiver, source, told, track };
}

/** What identify calls said on the path of the audience's own destination, in their order. */
const saidIn = (arrivals: readonly Arrival[]): unknown[] =>
  arrivals
    .filter(({ path }) => path === '/told')
    .map(({ message }) => [message['type'], message['userId'], message['traits']]);

describe('contract 10.3: an audience', () => {
  test('tells its members at first, then only changes, over HTTP like any other call', async () => {
    const { service, receiver, told, track } = await world();
    await track('u1', 'Order Completed');
    await track('u2', 'Viewed');
    const made = await service.people.definitions.create('audience', {
      name: 'Ordered last 30 days',
      definition: { event: { name: 'Order Completed' }, during: { lastDays: 30 } },
      destinationIds: [told.id],
    });
    expect(made.key).toBe('ordered_last_30days');
    await service.decided(made);
    await eventually(
      () => saidIn(receiver.arrivals),
      (said) => said.length === 1,
    );
    await track('u1', 'Order Completed');
    await track('u2', 'Order Completed');
    await eventually(
      () => saidIn(receiver.arrivals),
      (said) => said.length === 2,
    );
    expect(saidIn(receiver.arrivals)).toEqual([
      ['identify', 'u1', { ordered_last_30days: true }],
      ['identify', 'u2', { ordered_last_30days: true }],
    ]);
    expect((await service.decided(made)).size).toBe(2);
  });

  test('lets its members go when the window slides past their events, not before', async () => {
    const { service, receiver, told, track } = await world();
    const made = await service.people.definitions.create('audience', {
      name: 'Ordered this hour',
      definition: { event: { name: 'Order' }, during: { lastHours: 1 } },
      destinationIds: [told.id],
    });
    await service.decided(made);
    // Long enough that a busy machine decides of the call before its time is over.
    const leaves = Date.now() - HOUR + 4_000;
    await track('u1', 'Order', { timestamp: new Date(leaves).toISOString() });
    await eventually(
      () => saidIn(receiver.arrivals),
      (said) => said.length === 2,
    );
    const [entered, left] = receiver.arrivals.filter(({ path }) => path === '/told');
    expect(entered?.message['traits']).toEqual({ ordered_this_hour: true });
    expect(left?.message['traits']).toEqual({ ordered_this_hour: false });
    expect(Date.parse(String(left?.message['timestamp']))).toBeGreaterThanOrEqual(leaves + HOUR);
    expect((await service.decided(made)).size).toBe(0);
  });

  test('goes on after a restart without a word twice, and people who are united are told once', async () => {
    const { service, receiver, source, told, track } = await world();
    const made = await service.people.definitions.create('audience', {
      name: 'Buyers',
      definition: { event: { name: 'Order' }, count: { atLeast: 2 } },
      destinationIds: [told.id],
    });
    await track('u1', 'Order');
    await service.accept(source, { userId: null, anonymousId: 'a1', event: 'Order' });
    await service.restart();
    await service.accept(source, { userId: 'u1', previousId: 'a1' }, 'alias');
    await eventually(
      () => saidIn(receiver.arrivals),
      (said) => said.length === 1,
    );
    await service.restart();
    await track('u1', 'Order');
    await service.decided(made);
    const person = await service.people.questions('test').person('a1', Date.now());
    expect(person?.userId).toBe('u1');
    expect(person?.events.items).toHaveLength(3);
    expect(saidIn(receiver.arrivals)).toEqual([['identify', 'u1', { buyers: true }]]);
    await service.people.definitions.sync('audience', made.id);
    await eventually(
      () => saidIn(receiver.arrivals),
      (said) => said.length === 2,
    );
  });

  test('is found again by a rebuild, which ends however steadily calls flow', async () => {
    const { service, told, track } = await world();
    await track('u1', 'Order');
    const definition = { event: { name: 'Order' } };
    const made = await service.people.definitions.create('audience', {
      ...{ name: 'Orderers', definition, destinationIds: [told.id] },
    });
    await service.decided(made);
    let flows = true;
    const flow = Array.from({ length: 8 }, async () => {
      while (flows) await track('u2', 'View');
    });
    await service.people.rebuild();
    await eventually(
      () => service.people.status(),
      ({ rebuilding }) => !rebuilding,
    );
    flows = false;
    await Promise.all(flow);
    expect((await service.decided(made)).size).toBe(1);
  });

  test('decides in a rebuild nothing of what profiles no longer keep, though the log has it', async () => {
    const { service, receiver, told, track } = await world({ MILLRACE_PEOPLE_RETENTION: '1d' });
    const made = await service.people.definitions.create('audience', {
      name: 'Ever ordered',
      definition: { event: { name: 'Order' } },
      destinationIds: [told.id],
    });
    await service.decided(made);
    const saidAfter = (count: number) =>
      eventually(
        () => saidIn(receiver.arrivals),
        (said) => said.length >= count,
      );
    await track('old', 'Order', { timestamp: new Date(Date.now() - 2 * DAY).toISOString() });
    await saidAfter(1);
    await service.restart();
    await saidAfter(2);
    await service.people.rebuild();
    await eventually(
      () => service.people.status(),
      ({ rebuilding }) => !rebuilding,
    );
    await service.decided(made);
    await track('new', 'Order');
    expect((await saidAfter(3)).map((said) => JSON.stringify(said))).toEqual([
      '["identify","old",{"ever_ordered":true}]',
      '["identify","old",{"ever_ordered":false}]',
      '["identify","new",{"ever_ordered":true}]',
    ]);
  });

  test('does not read what people/ itself sends, answers why, previews, and is found again after a rebuild', async () => {
    const { service, told, track } = await world();
    await track('u1', 'Order', { timestamp: new Date(Date.now() - 3 * DAY).toISOString() });
    const definition = { all: [{ event: { name: 'Order' } }, { not: { trait: 'orderers', is: { equals: true } } }] };
    const made = await service.people.definitions.create('audience', {
      name: 'Orderers',
      definition,
      destinationIds: [told.id],
    });
    expect((await service.decided(made)).size).toBe(1);
    const now = Date.now();
    expect(await service.people.questions('test').why(made, 'u1', now)).toMatchObject({ value: true });
    await service.people.rebuild();
    await eventually(
      () => service.people.status(),
      ({ rebuilding }) => !rebuilding,
    );
    expect((await service.decided(made)).size).toBe(1);
    expect((await service.people.questions('test').person('u1', now))?.traits).toEqual([]);
    await service.people.definitions.delete('audience', made.id);
    expect(await service.people.definitions.list()).toEqual([]);
  });
});

describe('a computed trait', () => {
  test('is sent when its value changes', async () => {
    const { service, receiver, told, track } = await world();
    await service.people.definitions.create('trait', {
      name: 'Order total',
      definition: { compute: { sum: 'total' }, event: { name: 'Order' } },
      destinationIds: [told.id],
    });
    await track('u1', 'Order', { properties: { total: 10 } });
    await eventually(
      () => saidIn(receiver.arrivals),
      (said) => said.length === 1,
    );
    await track('u1', 'Order', { properties: { total: 2.5 } });
    await track('u1', 'Order', { properties: { total: 'none' } });
    await eventually(
      () => saidIn(receiver.arrivals),
      (said) => said.length === 2,
    );
    expect(saidIn(receiver.arrivals)).toEqual([
      ['identify', 'u1', { order_total: 10 }],
      ['identify', 'u1', { order_total: 12.5 }],
    ]);
  });
});

describe('a definition', () => {
  test('is refused with everything that is wrong, and where', async () => {
    const { service } = await world();
    const { definitions } = service.people;
    const refusal = async (made: Promise<unknown>): Promise<unknown> => {
      const error = await made.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(RefusedDefinition);
      return (error as RefusedDefinition).errors.map(({ path }) => path);
    };
    const ordered = { event: { name: 'Order' } };
    const first = await definitions.create('audience', { name: 'First', definition: ordered });
    const wrong = { name: 'First', definition: { event: { name: '' } }, destinationIds: ['dst_none'] };
    expect(await refusal(definitions.create('audience', wrong))).toEqual([
      'key',
      'definition.event.name',
      'destinationIds.0',
    ]);
    expect(await refusal(definitions.create('audience', { name: '!', definition: ordered }))).toEqual(['key']);
    const unknown = { name: 'Unknown', definition: { audience: 'aud_none' } };
    expect(await refusal(definitions.create('audience', unknown))).toEqual(['definition.audience']);
    const second = await definitions.create('audience', { name: 'Second', definition: { audience: first.id } });
    const circle = { definition: { not: { audience: second.id } } };
    expect(await refusal(definitions.update('audience', first.id, circle))).toEqual(['definition.not.audience']);
    await expect(definitions.delete('audience', first.id)).rejects.toMatchObject({ code: 'conflict' });
    await expect(definitions.get('trait', first.id)).rejects.toMatchObject({ code: 'not_found' });
    // What was refused left nothing behind.
    expect((await definitions.list()).map(({ name }) => name)).toEqual(['First', 'Second']);
    await service.restart();
    expect((await service.people.definitions.list()).map(({ id }) => id)).toEqual([first.id, second.id]);
  });

  test('that changes is decided of all persons anew, and tells what differs', async () => {
    const { service, receiver, told, track } = await world();
    await track('u1', 'Order');
    await track('u2', 'View');
    const made = await service.people.definitions.create('audience', {
      name: 'Active',
      definition: { event: { name: 'Order' } },
      destinationIds: [told.id],
    });
    await service.decided(made);
    await service.people.definitions.update('audience', made.id, {
      name: 'Viewers',
      definition: { event: { name: 'View' } },
    });
    await eventually(
      () => saidIn(receiver.arrivals),
      (said) => said.length === 3,
    );
    const [first, ...then] = saidIn(receiver.arrivals);
    expect(first).toEqual(['identify', 'u1', { active: true }]);
    expect(new Set(then)).toEqual(
      new Set([
        ['identify', 'u1', { active: false }],
        ['identify', 'u2', { active: true }],
      ]),
    );
    expect(await service.decided(made)).toMatchObject({ name: 'Viewers', key: 'active', size: 1 });
  });
});

test('a definition finds everything taken in that was accepted before it, though nothing waited for that', async () => {
  const { service, track } = await world();
  for (let i = 0; i < 20; i++) await track(`u${i}`, 'Order');
  const definition = { event: { name: 'Order' } };
  const made = await service.people.definitions.create('audience', { name: 'Orderers', definition });
  expect(await service.people.observed()).toMatchObject({ persons: 20, lag: 0 });
  expect((await service.decided(made)).size).toBe(20);
});

test('many questions of one caller hold up those of another by one of them', async () => {
  const { service } = await world();
  const { people } = service;
  let answered = 0;
  const ask = async (): Promise<void> => {
    await people.questions('one').person('nobody', 0);
    answered++;
  };
  const many = Array.from({ length: 200 }, ask);
  await people.questions('another').person('nobody', 0);
  expect(answered).toBeLessThan(10);
  await Promise.all(many);
});

test('a folder in which an earlier version read the log by lanes: each call is taken in once, and the lanes go', async () => {
  const { service, source, track } = await world();
  for (const userId of ['u1', 'u2', 'u3']) await track(userId, 'Order');
  const other = await service.source();
  await service.accept(other, { userId: 'o1', event: 'Order' });
  const persons = () => service.people.state().then((state) => state.persons);
  await eventually(persons, (count) => count === 4);
  await service.app.stop();
  // As it was left by one that had come to the second call of this source.
  const live = new DatabaseSync(join(service.dataDir, 'millrace.db'));
  live.exec(`INSERT INTO names (name) VALUES ('people')`);
  const lane = live.prepare(`INSERT INTO lanes (source, destination, start_seq, start_accepted, position)
    SELECT s.number, p.number, 0, 0, ? FROM names s, names p WHERE s.name = ? AND p.name = 'people'`);
  lane.run(2, source.id);
  lane.run(4, other.id);
  live.close();
  const people = new DatabaseSync(join(service.dataDir, 'people.db'));
  people.exec(`DELETE FROM source WHERE id LIKE 'shard %'`);
  people.prepare('UPDATE source SET position = 2 WHERE id = ?').run(source.id);
  people.exec(`DELETE FROM event WHERE person = (SELECT person FROM identity WHERE id = 'u3');
    DELETE FROM person WHERE user_id = 'u3'; DELETE FROM identity WHERE id = 'u3'`);
  // Would be counted again if it came again.
  people.exec(`DELETE FROM event WHERE person = (SELECT person FROM identity WHERE id = 'o1')`);
  people.close();
  await service.start();
  await eventually(persons, (count) => count === 4);
  const eventsOf = async (id: string): Promise<number | undefined> =>
    (await service.people.questions('test').person(id, Date.now()))?.events.items.length;
  expect(await Promise.all(['u1', 'u3', 'o1'].map(eventsOf))).toEqual([1, 1, 0]);
  await track('u4', 'Order');
  await eventually(persons, (count) => count === 5);
  await service.app.stop();
  const after = new DatabaseSync(join(service.dataDir, 'millrace.db'));
  const left = after.prepare(
    `SELECT count(*) AS lanes FROM lanes JOIN names ON number = destination WHERE name = 'people'`,
  );
  expect(left.get()?.['lanes']).toBe(0);
  after.close();
  await service.start();
});
