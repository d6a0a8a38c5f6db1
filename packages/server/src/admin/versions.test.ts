import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditEntry } from './contract.ts';
import { type Answer, openWorld, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const BOUGHT = { event: { name: 'Order Completed' }, during: { lastDays: 30 } };

const CHANGED = 412;

const patch = (path: string, body: object, tag?: string): Promise<Answer> =>
  world.call('PATCH', path, body, tag === undefined ? {} : { 'if-match': tag });

const tagOf = async (path: string): Promise<string> => (await world.get(path)).headers.get('etag') ?? '';

const changesIn = ({ body }: Answer): AuditEntry[] => body['changes'] as AuditEntry[];

const KINDS: Readonly<Record<string, () => Promise<string>>> = {
  source: async () => `/api/sources/${(await world.source()).id}`,
  destination: async () => `/api/destinations/${(await world.destination()).id}`,
  audience: async () => made('audiences', { name: 'Bought', key: 'bought', definition: BOUGHT }),
  trait: async () =>
    made('traits', {
      name: 'Orders',
      key: 'orders',
      definition: { compute: { count: true }, event: { name: 'Order' } },
    }),
};

async function made(kind: string, body: object): Promise<string> {
  const answer = await world.call('POST', `/api/${kind}`, body);
  expect(answer.status, answer.text).toBe(201);
  return `/api/${kind}/${String(answer.body['id'])}`;
}

describe.each(Object.entries(KINDS))('a change of a %s', (_kind, make) => {
  test('that began with an older version is refused with what was changed since; any other is made', async () => {
    const path = await make();
    const first = await tagOf(path);
    expect(first).toMatch(/^"\d+"$/);
    const renamed = await patch(path, { name: 'Theirs' }, first);
    expect([renamed.status, renamed.headers.get('etag')]).toEqual([200, await tagOf(path)]);
    expect(renamed.headers.get('etag')).not.toBe(first);

    const late = await patch(path, { name: 'Mine' }, first);
    expect([late.status, late.body['code']]).toEqual([CHANGED, 'changed_meanwhile']);
    expect(changesIn(late)).toMatchObject([
      { actor: 'admin token', fields: ['name'], values: [{ field: 'name', after: '"Theirs"' }] },
    ]);
    expect((await world.call('DELETE', path, undefined, { 'if-match': first })).status).toBe(CHANGED);
    expect((await world.get(path)).body['name']).toBe('Theirs');

    expect((await patch(path, { name: 'Mine' })).status).toBe(200);
    expect((await world.call('DELETE', path, undefined, { 'if-match': await tagOf(path) })).status).toBe(204);
  });

  test('that changes nothing makes no version', async () => {
    const path = await make();
    const { name } = (await world.get(path)).body;
    const tag = await tagOf(path);
    await patch(path, { name: String(name) });
    expect(await tagOf(path)).toBe(tag);
    await world.call('DELETE', path);
  });
});

test.each(['audience', 'trait'])('a destination that is connected to an %s is a change of it', async (kind) => {
  const path = (await KINDS[kind]?.()) ?? '';
  const { id, source } = await world.destination();
  const first = await tagOf(path);
  const { sourceId } = (await world.get(path)).body;
  await patch(`/api/destinations/${id}`, { sourceIds: [source, sourceId] });
  const connected = await tagOf(path);
  expect((await patch(path, { destinationIds: [] }, first)).status).toBe(CHANGED);
  expect((await world.get(path)).body['destinationIds']).toEqual([id]);
  await patch(`/api/destinations/${id}`, { sourceIds: [source] });
  expect((await patch(path, { destinationIds: [id] }, connected)).status).toBe(CHANGED);
  const answer = await patch(path, { destinationIds: [id] }, await tagOf(path));
  expect([answer.status, answer.body['destinationIds'], answer.headers.get('etag')]).toEqual([
    200,
    [id],
    await tagOf(path),
  ]);
  for (const made of [path, `/api/destinations/${id}`]) await world.call('DELETE', made);
});

test('weak tags, lists of tags and * are taken; what is none is refused', async () => {
  const path = (await KINDS['source']?.()) ?? '';
  expect((await patch(path, { name: 'a' }, 'W/"1"')).status).toBe(200);
  expect((await patch(path, { name: 'b' }, '"7", W/"2" ,"x"')).status).toBe(200);
  expect((await patch(path, { name: 'c' }, ' * ')).status).toBe(200);
  expect((await patch(path, { name: 'd' }, '"7","8"')).status).toBe(CHANGED);
  expect((await patch(path, { name: 'd' }, '"*"')).status).toBe(CHANGED);
  for (const wrong of ['4', '', '"4', '*, "4"']) {
    const answer = await patch(path, { name: 'd' }, wrong);
    expect([wrong, answer.status, world.wrongPaths(answer)]).toEqual([wrong, 400, ['If-Match']]);
  }
  expect((await patch('/api/sources/src_none', { name: 'd' }, '*')).status).toBe(404);
});

test('of changes that come at once with one version, one is made', async () => {
  const path = (await KINDS['destination']?.()) ?? '';
  const tag = await tagOf(path);
  const names = ['a', 'b', 'c', 'd', 'e'];
  const answers = await Promise.all(names.map((name) => patch(path, { name }, tag)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, CHANGED, CHANGED, CHANGED, CHANGED]);
  const winner = answers.find(({ status }) => status === 200);
  expect((await world.get(path)).body['name']).toBe(winner?.body['name']);
});

test('a key is rotated, and the one before it ended, only by who knows the newest', async () => {
  const path = `/api/sources/${(await world.source()).id}`;
  const tag = await tagOf(path);
  const rotate = (version: string) =>
    world.call('POST', `${path}/rotate-key`, { overlapHours: 1 }, { 'if-match': version });
  expect((await rotate(tag)).status).toBe(200);
  const { writeKey, oldKey } = (await world.get(path)).body;
  expect((await rotate(tag)).status).toBe(CHANGED);
  const end = await world.call('DELETE', `${path}/old-key`, undefined, { 'if-match': tag });
  expect(end.status).toBe(CHANGED);
  expect((await world.get(path)).body).toMatchObject({ writeKey, oldKey });
});

test('whatever changes the set-up makes a version: keys, a settings file, a source that is deleted', async () => {
  const { id, source } = await world.destination();
  const [sourcePath, path] = [`/api/sources/${source}`, `/api/destinations/${id}`];
  const seen = new Set([await tagOf(sourcePath)]);
  await world.call('POST', `${sourcePath}/rotate-key`, { overlapHours: 1 });
  seen.add(await tagOf(sourcePath));
  await world.call('DELETE', `${sourcePath}/old-key`);
  seen.add(await tagOf(sourcePath));
  expect(seen.size).toBe(3);

  const file = String((await world.get('/api/settings-file')).body['yaml']);
  const before = await tagOf(path);
  const renamed = file.replace('name: Target', 'name: Renamed by a file');
  const applied = await world.call('POST', '/api/settings-file/apply', { yaml: renamed });
  expect([applied.status, applied.text]).toEqual([200, expect.any(String)]);
  const between = await tagOf(path);
  await world.call('DELETE', sourcePath);
  expect(new Set([before, between, await tagOf(path)]).size).toBe(3);
});

test('a destination that something else changes has an entry of its own: a late change is told by whom', async () => {
  const { id, source } = await world.destination();
  const path = `/api/destinations/${id}`;
  const tag = await tagOf(path);
  const sends = { destinationIds: [id] };
  const audience = await made('audiences', { name: 'Buyers', key: 'buyers', definition: BOUGHT, ...sends });
  await patch(audience, { destinationIds: [] });
  await patch(audience, sends);
  await world.call('DELETE', audience);
  await world.call('DELETE', `/api/sources/${source}`);

  const told = changesIn(await patch(path, { name: 'Mine' }, tag));
  expect(told.map(({ action, fields, target }) => [action, fields, target?.id])).toEqual(
    Array.from({ length: 5 }, () => ['destination.update', ['sourceIds'], id]),
  );
  expect(told[0]?.values).toEqual([{ field: 'sourceIds', before: JSON.stringify([source]), after: '[]' }]);
  const { body } = await world.get('/api/audit?action=audience.update&limit=1');
  expect((body['items'] as AuditEntry[])[0]?.values).toEqual([
    { field: 'destinationIds', before: '[]', after: JSON.stringify([id]) },
  ]);
});

test('the audit log has the values before and after, of secrets that they changed, and not more than a bound', async () => {
  const { id } = await world.destination();
  const webhooks = [{ url: 'https://hooks.example.com/a', headers: { 'X-Key': 'hunter2' } }];
  const events = Array.from({ length: 500 }, (_, i) => `Event ${i}`);
  await patch(`/api/destinations/${id}`, { settings: { webhooks, sharedSecret: 'tell-nobody' } });
  await patch(`/api/destinations/${id}`, {
    name: 'New',
    settings: { webhooks: [{ ...webhooks[0], headers: { 'X-Key': 'hunter3' } }] },
    trackFilter: { mode: 'deny', events },
  });
  const { body, text } = await world.get('/api/audit?action=destination.update&limit=2');
  const [second, first] = body['items'] as AuditEntry[];
  expect(first?.values.map(({ field }) => field)).toEqual(['settings.webhooks', 'settings.sharedSecret']);
  expect(first?.values[0]?.after).toContain('https://hooks.example.com/a');
  expect(first?.values[1]).toEqual({ field: 'settings.sharedSecret', before: null, after: null });
  expect(second?.values.slice(0, 2)).toEqual([
    { field: 'name', before: '"Target"', after: '"New"' },
    { field: 'settings.webhooks', before: null, after: null },
  ]);
  expect(second?.values[2]?.after).toMatch(/^\{"mode":"deny".{1980,2000}…$/);
  expect(text).not.toMatch(/hunter|tell-nobody/);
});
