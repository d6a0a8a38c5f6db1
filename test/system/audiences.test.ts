import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type {
  Audience,
  AudiencePreview,
  ComputedTrait,
  ComputedTraitPreview,
  Destination,
  Member,
  NewAudience,
  Page,
  PeopleStatus,
  Source,
} from '../../packages/server/src/admin/contract.ts';
import { eventually } from './kit/eventually.ts';
import { type Arrival, type Receiver, receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const service = sharedService();
const SECRET = 'audience-secret-5b1d';
const HOUR = 3_600_000;

interface World {
  readonly receiver: Receiver;
  readonly source: Source;
  /** Gets what audiences and traits tell, signed, and nothing else. */
  readonly told: Destination;
  /** Of this test alone. */
  readonly event: string;
  track(userId: string, more?: object): Promise<string>;
  /** What was told so far, in its order. */
  said(): unknown[];
}

let worlds = 0;

async function world(): Promise<World> {
  const receiver = await receive();
  const source = await service.source();
  const settings = { webhooks: [{ url: receiver.url('/told') }], sharedSecret: SECRET };
  const told = await service.destination(source, receiver.url('/told'), { sourceIds: [], settings });
  const event = `Order ${++worlds}`;
  return {
    ...{ receiver, source, told, event },
    track: (userId, more = {}) => service.accept(source, { userId, event, ...more }),
    said: () => receiver.arrivals.map(heard),
  };
}

/** Who was told what; the call must be a signed identify. */
function heard({ headers, body, message }: Arrival): unknown {
  const { type, userId, traits } = message;
  expect(type).toBe('identify');
  expect(headers['x-signature']).toBe(createHmac('sha1', SECRET).update(body).digest('hex'));
  return [userId, traits];
}

const create = (audience: NewAudience): Promise<Audience> => service.must('POST', '/api/audiences', audience);

/** The audience or trait once everybody was decided of and every call is accepted. */
function live<T extends Audience | ComputedTrait>(kind: 'audiences' | 'traits', { id }: T): Promise<T> {
  return eventually(
    async () => {
      const { outbox, lag } = await service.must<{ outbox: number; lag: number }>('GET', '/api/profiles/status');
      return { one: await service.must<T>('GET', `/api/${kind}/${id}`), done: outbox + lag === 0 };
    },
    ({ one, done }) => one.state === 'live' && done,
  ).then(({ one }) => one);
}

describe('contract 10: audiences', () => {
  test('1: for each user added to or removed from an audience an identify call is sent', async () => {
    const { receiver, told, event, track, said } = await world();
    const definition = { event: { name: event }, count: { exactly: 1 } };
    await create({ name: `Row one ${worlds}`, key: `row_one_${worlds}`, definition, destinationIds: [told.id] });
    await track('added');
    await receiver.waitFor(1);
    await track('added');
    await receiver.waitFor(2);
    expect(said()).toEqual([
      ['added', { [`row_one_${worlds}`]: true }],
      ['added', { [`row_one_${worlds}`]: false }],
    ]);
  });

  test('2: the trait is the name in snake case, the value whether they are a member', async () => {
    const { receiver, told, event, track, said } = await world();
    const made = await create({
      name: 'order completed last 30 days',
      definition: { event: { name: event }, during: { lastDays: 30 } },
      destinationIds: [told.id],
    });
    expect(made.key).toBe('order_completed_last_30days');
    await track('u-named');
    await receiver.waitFor(1);
    expect(said()).toEqual([['u-named', { order_completed_last_30days: true }]]);
  });

  test('3: when it is created, a call is sent for every user in it; 4: later only for those who changed', async () => {
    const { receiver, told, event, track, said } = await world();
    const names = ['a', 'b', 'c'].map((name) => `${name}-${worlds}`);
    for (const name of names) await track(name);
    await service.accept((await world()).source, { userId: 'other', event: 'Another' });
    const key = `first_${worlds}`;
    const made = await create({
      ...{ name: 'First', key, definition: { event: { name: event } }, destinationIds: [told.id] },
    });
    await receiver.waitFor(3);
    expect(await live('audiences', made)).toMatchObject({ size: 3, progress: null, sentAt: expect.any(String) });
    expect(new Set(said())).toEqual(new Set(names.map((name) => [name, { [key]: true }])));

    await track(names[0] ?? '');
    await track(`new-${key}`);
    await receiver.waitFor(4);
    await live('audiences', made);
    expect(said().slice(3)).toEqual([[`new-${key}`, { [key]: true }]]);

    // A sync tells all of them again.
    expect(await service.must<Audience>('POST', `/api/audiences/${made.id}/sync`)).toMatchObject({ id: made.id });
    await receiver.waitFor(8);
    await live('audiences', made);
    expect(said().slice(4)).toHaveLength(4);
  });
});

test('a member leaves at the time when the window slides past what they did', async () => {
  const { receiver, told, event, track, said } = await world();
  const leaves = Date.now() - HOUR + 2_000;
  await track('sliding', { timestamp: new Date(leaves).toISOString() });
  const key = `sliding_${worlds}`;
  const definition = { event: { name: event }, during: { lastHours: 1 } };
  const made = await create({ name: 'Sliding', key, definition, destinationIds: [told.id] });
  const why = `/api/audiences/${made.id}/why?person=sliding`;
  await receiver.waitFor(1);
  expect(await service.must('GET', why)).toMatchObject({
    reason: { value: true, changesAt: new Date(leaves + HOUR).toISOString() },
  });
  const [, left] = await receiver.waitFor(2);
  expect(Date.parse(String(left?.message['timestamp']))).toBeGreaterThanOrEqual(leaves + HOUR);
  expect(said()).toEqual([
    ['sliding', { [key]: true }],
    ['sliding', { [key]: false }],
  ]);
  expect(await live('audiences', made)).toMatchObject({ size: 0 });
  expect(await service.must('GET', why)).toMatchObject({ reason: { value: false, events: 0 } });
});

test('a computed trait is sent when its value changes; preview, members, change of the definition', async () => {
  const { receiver, told, event, track, said } = await world();
  const key = `total_${worlds}`;
  const user = `buyer-${worlds}`;
  await track(user, { properties: { total: 10 } });
  const definition = { compute: { sum: 'total' }, event: { name: event } };
  await eventually(
    () => service.must<ComputedTraitPreview>('POST', '/api/traits/preview', { definition, name: 'Order total' }),
    ({ sample }) => sample.length > 0,
  ).then((preview) => {
    expect(preview).toEqual({ sample: [{ userId: user, id: user, value: 10 }], key: 'order_total' });
  });
  const wish = { name: 'Total', key, definition, destinationIds: [told.id] };
  const made = await service.must<ComputedTrait>('POST', '/api/traits', wish);
  await receiver.waitFor(1);
  await track(user, { properties: { total: 2.5 } });
  await receiver.waitFor(2);
  await track(user, { properties: { total: 'none' } });
  await eventually(
    () => service.must<PeopleStatus>('GET', '/api/profiles/status'),
    ({ lag }) => lag === 0,
  );
  const members = (await service.must<Page<Member>>('GET', `/api/traits/${made.id}/members`)).items;
  expect(members).toMatchObject([{ userId: user, id: user, value: 12.5 }]);
  const count = { compute: { count: true }, event: { name: event } };
  expect(await service.must('PATCH', `/api/traits/${made.id}`, { definition: count })).toMatchObject({
    definition: count,
    key,
  });
  await receiver.waitFor(3);
  await service.must('PATCH', `/api/traits/${made.id}`, {
    definition: { compute: { max: 'nowhere' }, event: { name: event } },
  });
  await receiver.waitFor(4);
  await live('traits', made);
  expect(said()).toEqual([
    [user, { [key]: 10 }],
    [user, { [key]: 12.5 }],
    [user, { [key]: 3 }],
    [user, { [key]: null }],
  ]);
});

test('the preview counts and names some, also who has no user id, and says the key', async () => {
  const { source, event, track } = await world();
  for (let i = 0; i < 12; i++) await track(`p${i}-${worlds}`);
  await service.accept(source, { userId: null, anonymousId: `nobody-${worlds}`, event });
  const body = { definition: { event: { name: event } }, name: 'Big Spenders' };
  const preview = await eventually(
    () => service.must<AudiencePreview>('POST', '/api/audiences/preview', body),
    ({ size }) => size === 13,
  );
  expect(preview.key).toBe('big_spenders');
  expect(preview.sample).toHaveLength(10);
  expect(preview.sample[0]).toEqual({ userId: `p0-${worlds}`, id: `p0-${worlds}` });
  expect(preview.persons).toBeGreaterThanOrEqual(13);
  const { persons } = preview;
  const all = { definition: { not: { event: { name: event } } } };
  expect(await service.must('POST', '/api/audiences/preview', all)).toMatchObject({ size: persons - 13, key: null });
  const nameless = { definition: { all: [body.definition, { not: { trait: 'x', is: { exists: true } } }] } };
  expect(await service.must('POST', '/api/audiences/preview', nameless)).toMatchObject({ size: 13 });
  expect(
    (await service.must<Page<Audience>>('GET', '/api/audiences?limit=500')).items.map(({ name }) => name),
  ).not.toContain('Big Spenders');
});

test('destinations are connected and cut from either side, and forgotten when they are deleted', async () => {
  const { receiver, source, told, event, track, said } = await world();
  const key = `connected_${worlds}`;
  const made = await create({ name: 'Connected', key, definition: { event: { name: event } } });
  expect(made.destinationIds).toEqual([]);
  await track('early');
  await live('audiences', made);
  const path = `/api/audiences/${made.id}`;
  expect(await service.must('PATCH', path, { destinationIds: [told.id] })).toMatchObject({ destinationIds: [told.id] });
  await track('late');
  await receiver.waitFor(1);
  const cut = { sourceIds: [source.id] };
  await service.must('PATCH', `/api/destinations/${told.id}`, cut);
  expect(await service.must('GET', path)).toMatchObject({ destinationIds: [] });
  await service.must('PATCH', `/api/destinations/${told.id}`, { sourceIds: [made.sourceId] });
  expect(await service.must('GET', path)).toMatchObject({ destinationIds: [told.id] });
  await track('latest');
  await receiver.waitFor(2);
  expect(said()).toEqual([
    ['late', { [key]: true }],
    ['latest', { [key]: true }],
  ]);
  await service.must('DELETE', `/api/destinations/${told.id}`);
  expect(await service.must('GET', path)).toMatchObject({ destinationIds: [] });
});

test('members are paged, and a deleted audience tells no one', async () => {
  const { receiver, told, event, track, said } = await world();
  const key = `paged_${worlds}`;
  const made = await create({ name: 'Paged', key, definition: { event: { name: event } }, destinationIds: [told.id] });
  const path = `/api/audiences/${made.id}`;
  // Who join in the same millisecond have no order.
  for (const [before, name] of ['x', 'y', 'z'].entries()) {
    await track(`${name}-${worlds}`);
    await receiver.waitFor(before + 1);
  }
  await live('audiences', made);
  const first = await service.must<Page<Member>>('GET', `${path}/members?limit=2`);
  const second = await service.must<Page<Member>>('GET', `${path}/members?limit=2&cursor=${first.next}`);
  // Who joined last comes first.
  expect([...first.items, ...second.items].map(({ userId, value }) => [userId, value])).toEqual(
    ['z', 'y', 'x'].map((name) => [`${name}-${worlds}`, true]),
  );
  expect(second.next).toBeNull();
  expect(await service.refused('GET', `${path}/members?cursor=x`)).toMatchObject({ code: 'invalid_input' });
  expect(await service.refused('GET', `${path}/sizes?from=2026-02-02&to=2026-01-01`)).toMatchObject({
    errors: [{ path: 'to' }],
  });

  await service.must('DELETE', path);
  expect(await service.refused('GET', path)).toMatchObject({ code: 'not_found' });
  expect(await service.refused('GET', `/api/sources/${made.sourceId}`)).toMatchObject({ code: 'not_found' });
  const again = await create({ name: 'Paged', key, definition: { event: { name: event } }, destinationIds: [told.id] });
  await receiver.waitFor(6);
  await live('audiences', again);
  expect(
    said()
      .slice(3)
      .map((one) => (one as [string, object])[1]),
  ).toEqual(Array(3).fill({ [key]: true }));
});
