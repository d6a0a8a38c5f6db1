import { expect, test } from 'vitest';
import type {
  Audience,
  AudiencePreview,
  AuditEntry,
  JoinedPerson,
  Page,
  PeopleStatus,
  Person,
  PersonName,
  SizePoint,
  Suggestions,
  Why,
} from '../../packages/server/src/admin/contract.ts';
import type { Admin } from './kit/admin.ts';
import { eventually } from './kit/eventually.ts';
import { receive } from './kit/receiver.ts';
import { sharedService, startService } from './kit/service.ts';

const service = sharedService();

/** The status once everything accepted so far was taken in and decided. */
const settled = (of: Admin = service): Promise<PeopleStatus> =>
  eventually(
    () => of.must<PeopleStatus>('GET', '/api/profiles/status'),
    ({ lag, outbox, rebuilding }) => lag + outbox === 0 && rebuilding === null,
  );

const personPath = (id: string): string => `/api/people/${encodeURIComponent(id)}`;

test('a person is what calls said of them, by whichever of their ids', async () => {
  const source = await service.source();
  const at = (hour: number): string => `2026-11-01T${String(hour).padStart(2, '0')}:00:00.000Z`;
  const event = 'Person Seen';
  await service.accept(source, { userId: null, anonymousId: 'anon-1', event, timestamp: at(1), messageId: 'seen-1' });
  await service.accept(
    source,
    { traits: { plan: 'pro', deep: { a: [1] } }, userId: 'ada', timestamp: at(2) },
    'identify',
  );
  await service.accept(source, { userId: 'ada', previousId: 'anon-1', timestamp: at(3) }, 'alias');
  await service.accept(source, { userId: 'ada', groupId: 'acme', traits: { size: 7 }, timestamp: at(4) }, 'group');
  await service.accept(source, { userId: 'ada', name: 'Home', properties: { x: 1 }, timestamp: at(5) }, 'page');
  const definition = { all: [{ event: { name: event } }, { trait: 'plan', is: { equals: 'pro' } }] };
  const audience = await service.must<Audience>('POST', '/api/audiences', { name: 'Seen pros', definition });
  const counted = { name: 'Times seen', definition: { compute: { count: true }, event: { name: event } } };
  const trait = await service.must<Audience>('POST', '/api/traits', counted);
  await settled();
  const person = await eventually(
    () => service.must<Person>('GET', personPath('anon-1')),
    ({ audiences, computedTraits }) => audiences.length + computedTraits.length === 2,
  );
  expect(person).toEqual({
    notShown: 0,
    nextEvents: null,
    notJoined: [],
    userId: 'ada',
    id: 'ada',
    identities: expect.arrayContaining([
      { id: 'ada', userIdSince: at(2), aliasedAt: at(3) },
      { id: 'anon-1', userIdSince: null, aliasedAt: null },
    ]),
    traits: expect.arrayContaining([
      { name: 'plan', value: 'pro', at: at(2) },
      { name: 'deep', value: { a: [1] }, at: at(2) },
    ]),
    groups: [{ id: 'acme', traits: { size: 7 } }],
    events: [
      { at: at(5), type: 'page', name: 'Home', properties: { x: 1 }, messageId: expect.any(String) },
      { at: at(1), type: 'track', name: event, properties: {}, messageId: 'seen-1' },
    ],
    audiences: [{ id: audience.id, name: 'Seen pros', key: 'seen_pros' }],
    computedTraits: [{ id: trait.id, name: 'Times seen', key: 'times_seen', value: 1 }],
  });
  expect(await service.must('GET', personPath('ada'))).toEqual(person);

  const why = await service.must<Why>('GET', `/api/audiences/${audience.id}/why?person=anon-1`);
  expect(why).toEqual({
    audienceId: audience.id,
    definition,
    reason: {
      value: true,
      changesAt: null,
      all: [
        { value: true, changesAt: null, events: 1, newest: [{ messageId: 'seen-1', at: at(1) }] },
        { value: true, changesAt: null, trait: 'plan', found: { value: 'pro', at: at(2) } },
      ],
    },
  });
  const unknown = `/api/audiences/${audience.id}/why?person=nobody`;
  expect(await service.refused('GET', unknown)).toMatchObject({ code: 'not_found' });
  expect(await service.refused('GET', `/api/audiences/${audience.id}/why`)).toMatchObject({
    errors: [{ path: 'person' }],
  });
});

test('persons are found by what one of their ids begins with, whatever it is', async () => {
  const source = await service.source();
  const ids = ['find/1?x=%20#', 'find/2', 'find/2 <b>"&amp;', `find/${'ä'.repeat(500)}`, 'find/😀', 'fin'];
  for (const userId of ids) await service.accept(source, { userId, event: 'Found' });
  await service.accept(source, { userId: 'find-last', anonymousId: 'find/9', event: 'Found' });
  await service.accept(source, { userId: null, anonymousId: 'find/anonymous', event: 'Found' });
  await settled();
  const find = async (prefix: string, more = ''): Promise<PersonName[]> =>
    (await service.must<{ items: PersonName[] }>('GET', `/api/people?prefix=${encodeURIComponent(prefix)}${more}`))
      .items;
  for (const id of ids) {
    expect(await service.must('GET', personPath(id))).toMatchObject({ userId: id, id });
    expect((await find(id)).map((person) => person.id)).toContain(id);
  }
  expect(await find('find/9')).toEqual([
    { userId: 'find-last', id: 'find/9', foundBy: { trait: null, value: 'find/9' } },
  ]);
  expect(await find('find/anonymous')).toMatchObject([{ userId: null, id: 'find/anonymous' }]);
  expect(await service.must('GET', personPath('find/anonymous'))).toMatchObject({ userId: null, id: 'find/anonymous' });
  const nameless = {
    definition: { all: [{ event: { name: 'Found' } }, { not: { trait: 'x', is: { exists: true } } }] },
  };
  const { sample } = await service.must<AudiencePreview>('POST', '/api/audiences/preview', nameless);
  expect(sample).toContainEqual({ userId: null, id: 'find/anonymous' });
  expect((await find('find/')).map(({ id }) => id)).toEqual(
    ['find/9', 'find/anonymous', ...ids.filter((id) => id.startsWith('find/'))].sort(byBytes),
  );
  expect(await find('find/', '&limit=2')).toHaveLength(2);
  expect(await find('nobody has this')).toEqual([]);
  expect((await find('')).length).toBeGreaterThan(5);
  expect(await service.refused('GET', personPath('nobody has this'))).toMatchObject({ code: 'not_found' });
});

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

test('the status counts persons, and a rebuild finds them again; metrics say the same', async () => {
  const alone = await startService();
  expect(await alone.must('GET', '/api/profiles/status')).toEqual({ persons: 0, lag: 0, outbox: 0, rebuilding: null });
  const source = await alone.source();
  for (const userId of ['a', 'b', 'c']) await alone.accept(source, { userId });
  const audience = { name: 'Testers', definition: { event: { name: 'Tested' } } };
  const { id } = await alone.must<Audience>('POST', '/api/audiences', audience);
  const size = (): Promise<Audience> =>
    eventually(
      () => alone.must<Audience>('GET', `/api/audiences/${id}`),
      ({ state, size: members }) => state === 'live' && members === 3,
    );
  const { createdAt } = await size();
  expect(await settled(alone)).toEqual({ persons: 3, lag: 0, outbox: 0, rebuilding: null });
  const { items } = await alone.must<{ items: SizePoint[] }>('GET', `/api/audiences/${id}/sizes`);
  // Sizes are those of full hours, and no hour before an audience was made had any.
  expect(items.filter(({ at }) => at < createdAt)).toEqual([]);
  const begun = await alone.must<PeopleStatus>('POST', '/api/profiles/rebuild');
  expect(begun.rebuilding === null || (begun.rebuilding >= 0 && begun.rebuilding <= 1)).toBe(true);
  await size();
  expect(await settled(alone)).toMatchObject({ persons: 3 });
  const { text } = await alone.api('GET', '/metrics');
  expect(text).toMatch(/^millrace_people_persons 3$/m);
  expect(text).toMatch(/^millrace_people_lag_events 0$/m);
  expect(text).toMatch(/^millrace_people_outbox_messages 0$/m);
});

test('an id that a page could not join is seen on the person and counted on the source, and an admin joins and parts', async () => {
  const [web, server] = [await service.source({ type: 'web' }), await service.source()];
  for (const userId of ['join-1', 'join-2'])
    await service.accept(server, { userId, traits: { at: userId } }, 'identify');
  // Of several sources, what was taken in first came first.
  await settled();
  await service.accept(web, { userId: 'join-1', previousId: 'join-2' }, 'alias');
  const person = await eventually(
    () => service.must<Person>('GET', personPath('join-1')),
    ({ notJoined }) => notJoined.length > 0,
  );
  expect(person.notJoined).toEqual([
    { id: 'join-2', sourceId: web.id, why: 'user', at: expect.stringMatching(/Z$/) as string },
  ]);
  expect(person.identities.map(({ id }) => id)).toEqual(['join-1']);
  expect(await service.must('GET', `/api/sources/${web.id}/totals`)).toMatchObject({ notJoined: 1 });

  const identities = `${personPath('join-1')}/identities`;
  for (const sourceId of [web.id, 'none']) {
    const refused = await service.api('POST', identities, { id: 'join-2', sourceId });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('names no server source')]);
  }
  for (const id of ['guest', ' NULL ', '0000']) {
    const refused = await service.api('POST', identities, { id, sourceId: server.id });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('is no id')]);
  }
  await service.must('POST', identities, { id: 'join-2', sourceId: server.id });
  const joined = await eventually(
    () => service.must<Person>('GET', personPath('join-2')),
    (one) => one.identities.length === 2,
  );
  expect(joined.notJoined).toEqual([]);
  expect((await service.must<Page<JoinedPerson>>('GET', '/api/profiles/joined')).items).toContainEqual({
    userId: 'join-1',
    userIds: expect.arrayContaining(['join-1', 'join-2']),
    aliased: true,
  });
  expect((await service.api('POST', identities, { id: 'join-2', sourceId: server.id })).text).toContain(
    'is theirs already',
  );
  for (const anonymousId of ['visitor-1', 'visitor-2'])
    await service.accept(web, { userId: undefined, anonymousId, event: 'Seen' });
  await settled();
  const visitors = `${personPath('visitor-1')}/identities`;
  const noUser = await service.api('POST', visitors, { id: 'visitor-2', sourceId: server.id });
  expect([noUser.status, noUser.text]).toEqual([409, expect.stringContaining('Neither id is a user’s yet')]);
  await service.must('DELETE', `${identities}/join-2`);
  expect((await service.must<Person>('GET', personPath('join-1'))).identities).toHaveLength(1);
  const apart = await service.must<Person>('GET', personPath('join-2'));
  expect([apart.userId, apart.identities.length, apart.traits]).toEqual(['join-2', 1, []]);
  expect((await service.api('DELETE', `${identities}/join-1`)).status).toBe(409);
  expect((await service.api('DELETE', `${identities}/join-2`)).status).toBe(404);
  const audit = await service.must<Page<AuditEntry>>('GET', '/api/audit?action=person.');
  expect(audit.items.map(({ action, target }) => [action, target])).toEqual([
    ['person.take_out', null],
    ['person.join', null],
  ]);
});

test('what of a call is too much for a profile is said in its trace, and the call is delivered', async () => {
  const source = await service.source();
  const traits = Object.fromEntries(Array.from({ length: 1_003 }, (_, i) => [`t${i}`, i]));
  const userId = 'with-very-many-traits';
  const big = 'x'.repeat(17_000);
  const calls: [string, object][] = [
    ['identify', { traits: { ...traits } }],
    ['identify', { traits: { t0: 1, new: 1 } }],
    ['group', { groupId: 'very-many', traits: { ...traits } }],
    ['group', { groupId: 'very-many', traits: { t1: 2, big } }],
  ];
  const messages: string[] = [];
  for (const [type, call] of calls) messages.push(await service.accept(source, { userId, ...call }, type));
  await settled();
  const notKept = await Promise.all(messages.map(async (id) => (await service.trace(id, source)).notKept));
  expect(notKept.map((one) => [one.traits.length, one.group])).toEqual([
    [3, null],
    [1, null],
    [3, null],
    [1, null],
  ]);
  expect([notKept[1]?.traits, notKept[3]?.traits]).toEqual([['new'], ['big']]);
  const { traits: kept, groups } = await service.must<Person>('GET', personPath(userId));
  expect([kept.length, Object.keys(groups[0]?.traits ?? {}).length]).toEqual([1_000, 1_000]);
});

test('fields of definitions are suggested what calls said, with how often', async () => {
  const own = await startService();
  const source = await own.source();
  const seats = { groupId: 'acme', traits: { seats: 5 } };
  for (const [userId, plan] of [
    ['ada', 'pro'],
    ['bob', 'pro'],
    ['cy', 'free'],
  ] as const) {
    await own.accept(source, { userId, traits: { plan } }, 'identify');
    const properties = { total: userId.length, shop: { city: 'Ulm' } };
    await own.accept(source, { userId, event: 'Order Completed', properties });
  }
  await own.accept(source, { userId: 'ada', ...seats }, 'group');
  const long = new Date(Date.now() - 9 * 86_400_000).toISOString();
  await own.accept(source, { userId: 'ada', event: 'Order Refunded', timestamp: long });
  await settled(own);
  const suggested = async (query: string): Promise<unknown> => {
    const { items, counted, of } = await own.must<Suggestions>('GET', `/api/suggestions?${query}`);
    return { items: items.map(({ value, count }) => [value, count]), counted, of };
  };
  const orders = [
    ['Order Completed', 3],
    ['Order Refunded', 0],
  ];
  expect(await suggested('of=event')).toEqual({ items: orders, counted: 'events', of: null });
  expect(await suggested('of=event&text=REFUND')).toMatchObject({ items: [orders[1]] });
  expect(await suggested('of=event&type=page')).toMatchObject({ items: [] });
  const property = 'of=property&event=Order%20Completed';
  expect(await suggested(property)).toEqual({
    ...{ counted: 'events', of: 3 },
    items: [
      ['shop.city', 3],
      ['total', 3],
    ],
  });
  expect(await suggested(`${property}&name=total`)).toMatchObject({
    items: [
      [3, 2],
      [2, 1],
    ],
  });
  expect(await suggested('of=trait')).toEqual({ items: [['plan', 3]], counted: 'persons', of: 3 });
  expect(await suggested('of=trait&name=plan')).toMatchObject({
    items: [
      ['pro', 2],
      ['free', 1],
    ],
  });
  expect(await suggested('of=groupTrait&name=seats')).toEqual({ items: [[5, 1]], counted: 'groups', of: 1 });
  expect(await own.refused('GET', '/api/suggestions?of=everything')).toMatchObject({ code: 'invalid_input' });

  await own.must('POST', '/api/regulations', {
    ...{ regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds: ['cy'] },
  });
  await eventually(
    () => suggested('of=trait&name=plan'),
    (now) => JSON.stringify(now) === JSON.stringify({ items: [['pro', 2]], counted: 'persons', of: 2 }),
  );
});

test('profiles have an end where they are given one: old events go, and who has no user id and nothing else', async () => {
  const own = await startService({ MILLRACE_PEOPLE_RETENTION: '30d' });
  const source = await own.source();
  const timestamp = '2026-01-01T00:00:00.000Z';
  await own.accept(source, { userId: 'ada', event: 'Seen', timestamp });
  await own.accept(source, { userId: 'ada', event: 'Seen again' });
  await own.accept(source, { userId: null, anonymousId: 'visitor', event: 'Seen', timestamp });
  await settled(own);
  expect(await own.must<Person>('GET', personPath('ada'))).toMatchObject({ events: [{}, {}] });
  await own.kill();
  await own.start();
  const person = await eventually(
    () => own.must<Person>('GET', personPath('ada')),
    ({ events }) => events.length === 1,
  );
  expect(person.events).toMatchObject([{ name: 'Seen again' }]);
  await eventually(
    () => own.api('GET', personPath('visitor')),
    ({ status }) => status === 404,
  );
});

test('what calls said is known when retention drops them at once, and a deletion tells of it', async () => {
  const own = await startService({ MILLRACE_RETENTION: '1s' });
  const receiver = await receive();
  const source = await own.source();
  const destination = await own.destination(source, receiver.url());
  await own.accept(source, { userId: 'ada', traits: { plan: 'pro' } }, 'identify');
  await eventually(
    () => own.must<Page<object>>('GET', '/api/events'),
    ({ items }) => items.length === 0,
  );
  expect(await own.must('GET', personPath('ada'))).toMatchObject({ traits: [{ name: 'plan', value: 'pro' }] });
  const asked = { regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds: ['ada'] };
  await own.must('POST', '/api/regulations', asked);
  await eventually(
    () => receiver.arrivals.map(({ message }) => [message['type'], message['userId']]),
    (arrived) => arrived.length === 2 && String(arrived[1]) === 'delete,ada',
  );
  expect(await own.counts(destination)).toMatchObject({ failed: 0 });
});
