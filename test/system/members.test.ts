import { expect, test } from 'vitest';
import type {
  Audience,
  AuditEntry,
  FoundPeople,
  ListedMember,
  Members,
  Page,
  Person,
  PersonEvent,
  Source,
} from '../../packages/server/src/admin/contract.ts';
import { eventually } from './kit/eventually.ts';
import { ADMIN_TOKEN, sharedService } from './kit/service.ts';

const service = sharedService();

async function identify(source: Source, people: readonly (readonly [userId: string, traits: object])[]): Promise<void> {
  const batch = people.map(([userId, traits]) => ({ type: 'identify', userId, traits }));
  for (let i = 0; i < batch.length; i += 15) {
    expect((await service.send(source, 'batch', { batch: batch.slice(i, i + 15) })).status).toBe(200);
  }
}

/** An audience of those whose trait has this value, once so many are in. */
async function audienceOf(trait: string, value: string, size: number, key = `${trait}_${value}`): Promise<Audience> {
  const audience = { name: `${trait} ${value}`, key, definition: { trait, is: { equals: value } } };
  const made = await service.must<Audience>('POST', '/api/audiences', audience);
  return eventually(
    () => service.must<Audience>('GET', `/api/audiences/${made.id}`),
    (audience) => audience.state === 'live' && audience.size === size,
  );
}

const requested = (path: string, token: string): Promise<Response> =>
  fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } });

test('members are listed with names and since when, the newest first, and found by ids, e-mail and name', async () => {
  const source = await service.source();
  await identify(source, [['m-ann', { club: 'a', email: 'Ann@shop.example', name: 'Ann Lee' }]]);
  const begun = Date.now();
  const audience = await audienceOf('club', 'a', 1);
  await identify(source, [
    ['m-bob', { club: 'a', name: 'Bob' }],
    ['m-eve', { club: 'b', name: 'Annika' }],
  ]);
  await service.accept(source, { userId: 'm-bob', anonymousId: 'm-device' }, 'identify');
  const path = `/api/audiences/${audience.id}/members`;
  const list = (query = '') => service.must<Members>('GET', path + query);
  const all = await eventually(list, ({ items }) => items.length === 2 && items[0]?.ids.length === 2);
  expect(all).toMatchObject({ next: null, more: false });
  expect(all.items).toMatchObject([
    { userId: 'm-bob', ids: ['m-bob', 'm-device'], names: { name: 'Bob' }, value: true },
    { userId: 'm-ann', ids: ['m-ann'], names: { email: 'Ann@shop.example', name: 'Ann Lee' }, value: true },
  ]);
  const joined = all.items.map(({ joinedAt }) => Date.parse(joinedAt ?? ''));
  expect(joined).toEqual(joined.toSorted((a, b) => b - a));
  expect(joined.every((at) => at >= begun && at <= Date.now())).toBe(true);

  const first = await list('?limit=1');
  expect(first.items).toEqual(all.items.slice(0, 1));
  expect((await list(`?limit=1&cursor=${first.next}`)).items).toEqual(all.items.slice(1));
  const found = async (prefix: string) => (await list(`?prefix=${prefix}`)).items.map(({ userId }) => userId);
  expect(await found('ann')).toEqual(['m-ann']);
  expect(await found('m-dev')).toEqual(['m-bob']);
  expect(await found('m-e')).toEqual([]);
  expect(await list('?prefix=m-&limit=1')).toMatchObject({ items: [{}], more: true, next: null });
  for (const query of ['?cursor=YzE6eA', '?prefix=a&cursor=YzE6MSAx', '?prefix=']) {
    expect(await service.refused('GET', path + query)).toMatchObject({ code: 'invalid_input' });
  }
});

test('people are found by any trait, text or number, page by page', async () => {
  const source = await service.source();
  const plans = Array.from({ length: 7 }, (_, i) => [`t-${i}`, { tier: i === 6 ? 'other' : '12' }] as const);
  await identify(source, [...plans, ['t-number', { tier: 12 }]]);
  const find = (query: string) => service.must<FoundPeople>('GET', `/api/people?${query}`);
  await eventually(
    () => service.api('GET', '/api/people/t-number'),
    ({ status }) => status === 200,
  );
  expect(await find('trait=tier&value=12')).toMatchObject({
    items: { length: 7 },
    next: null,
    more: false,
    searched: 1,
  });
  expect(await find('trait=tier&value=%2212%22')).toMatchObject({ items: { length: 6 } });
  expect(await find('trait=tier&value=other')).toMatchObject({
    items: [{ userId: 't-6', foundBy: { trait: 'tier', value: 'other' } }],
  });
  expect(await find('trait=tier&value=none')).toMatchObject({ items: [], next: null, searched: 1 });
  const found: (string | null)[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: FoundPeople = await find(`trait=tier&value=12&limit=3${cursor && `&cursor=${cursor}`}`);
    expect(page.searched).toBeGreaterThan(0);
    expect(page.searched === 1).toBe(page.next === null);
    found.push(...page.items.map(({ userId }) => userId));
    cursor = page.next;
  }
  expect(found).toEqual(['t-0', 't-1', 't-2', 't-3', 't-4', 't-5', 't-number']);
  expect(await find('prefix=t-&limit=3')).toMatchObject({
    items: { length: 3 },
    next: null,
    more: true,
    searched: null,
  });
  for (const query of ['trait=tier', 'value=12', 'trait=tier&value=12&prefix=x', 'prefix=x&cursor=YzE6MQ']) {
    expect(await service.refused('GET', `/api/people?${query}`)).toMatchObject({ code: 'invalid_input' });
  }
});

test('the events of a person are read to the oldest', async () => {
  const source = await service.source();
  const count = 130;
  const at = (i: number): string => new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString();
  const batch = Array.from({ length: count }, (_, i) => {
    const properties = { note: 'x'.repeat(28_000) };
    return { type: 'track', userId: 'busy', event: `E${i}`, timestamp: at(i), messageId: `busy ${i}`, properties };
  });
  for (let i = 0; i < count; i += 13) {
    expect((await service.send(source, 'import', { batch: batch.slice(i, i + 13) })).status).toBe(200);
  }
  const person = await eventually(
    async () => JSON.parse((await service.api('GET', '/api/people/busy')).text) as Person,
    ({ events, nextEvents }) => nextEvents !== null && events?.[0]?.at === at(count - 1),
  );
  const names = person.events.map(({ name }) => name);
  // Fifty of them would be more than an answer shows.
  expect(names).toHaveLength(35);
  for (let cursor = person.nextEvents; cursor !== null; ) {
    const page = await service.must<Page<PersonEvent>>('GET', `/api/people/busy/events?cursor=${cursor}`);
    names.push(...page.items.map(({ name }) => name));
    cursor = page.next;
  }
  expect(names).toEqual(batch.map(({ event }) => event).reverse());
  expect(await service.refused('GET', '/api/people/nobody/events')).toMatchObject({ code: 'not_found' });
  expect(await service.refused('GET', '/api/people/busy/events?cursor=YzE6eA')).toMatchObject({
    code: 'invalid_input',
  });
});

test('members are exported whole, to those who may see people, and the audit log says so', async () => {
  const source = await service.source();
  const people = Array.from(
    { length: 450 },
    (_, i) => [`e-${i}`, { team: 'x', name: `=1+${i}`, email: `${i}@x.io` }] as const,
  );
  await identify(source, people);
  const audience = await audienceOf('team', 'x', people.length);
  const path = `/api/audiences/${audience.id}/members/export`;
  const tokenOf = async (role: string) =>
    (await service.must<{ token: string }>('POST', '/api/tokens', { name: `Exports as ${role}`, role })).token;
  const viewer = await tokenOf('viewer');
  const csv = await requested(`${path}?format=csv`, viewer);
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(csv.headers.get('content-disposition')).toMatch(
    /^attachment; filename="team_x-members-\d{4}-\d\d-\d\d\.csv"$/,
  );
  const rows = (await csv.text()).split('\r\n');
  expect(rows).toHaveLength(people.length + 2);
  expect(rows).toContainEqual(expect.stringMatching(/^e-7,e-7,"\[""e-7""\]",\d{4}-[^,]+Z,7@x\.io,'=1\+7,,,,$/));
  const ndjson = await requested(`${path}?format=ndjson`, viewer);
  const members = (await ndjson.text()).trimEnd().split('\n');
  const ids = members.map((line) => (JSON.parse(line) as ListedMember).userId);
  expect(new Set(ids)).toEqual(new Set(people.map(([id]) => id)));
  expect(ids).toHaveLength(people.length);

  expect((await requested(`${path}?format=csv`, await tokenOf('observer'))).status).toBe(403);
  expect((await requested(`${path}?format=xls`, viewer)).status).toBe(400);
  expect((await requested(path.replace(audience.id, 'aud_none'), viewer)).status).toBe(400);
  expect((await requested(`${path.replace(audience.id, 'aud_none')}?format=csv`, viewer)).status).toBe(404);
  const { items } = await service.must<Page<AuditEntry>>('GET', '/api/audit?action=audience.export');
  expect(items).toHaveLength(2);
  expect(items[0]).toMatchObject({
    actor: 'token Exports as viewer',
    target: { type: 'audience', id: audience.id, name: audience.name },
  });
});

test('an export that is cut short is seen to be: of an audience that changes or is gone, and of a service that stops', async () => {
  const source = await service.source();
  const long = 'x'.repeat(15_000);
  // More than what is on its way between two processes.
  const people = Array.from({ length: 900 }, (_, i) => [`l-${i}`, { group: 'l', name: long, username: long }] as const);
  await identify(source, people);
  const ends = [
    (path: string) => service.must('PATCH', path, { definition: { trait: 'group', is: { equals: 'none' } } }),
    (path: string) => service.must('DELETE', path),
    () => service.stop(),
  ];
  for (const [i, end] of ends.entries()) {
    const audience = await audienceOf('group', 'l', people.length, `group_${i}`);
    const answer = await requested(`/api/audiences/${audience.id}/members/export?format=ndjson`, ADMIN_TOKEN);
    const reader = answer.body?.getReader();
    await reader?.read();
    await end(`/api/audiences/${audience.id}`);
    const rest = async (): Promise<void> => {
      while (!(await reader?.read())?.done);
    };
    await expect(rest()).rejects.toThrow();
  }
});
