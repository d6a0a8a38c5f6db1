import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlertSettings } from './contract.ts';
import { type Answer, openWorld, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const patch = (body: object, tag?: string): Promise<Answer> =>
  world.call('PATCH', '/api/alerts', body, tag === undefined ? {} : { 'if-match': tag });

const now = async (): Promise<AlertSettings> => (await world.get('/api/alerts')).body as unknown as AlertSettings;

test('rules come with what they are by default, and are set for all or for one destination', async () => {
  const { id } = await world.destination();
  expect((await now()).rules).toMatchObject({
    no_success: { enabled: true, after: '5m' },
    source_silent: { enabled: false, after: '1h' },
    waiting: { enabled: true, above: 100_000 },
  });
  await patch({ rules: { waiting: { above: 5 } } });
  await patch({ rules: { waiting: { enabled: false } } });
  expect((await now()).rules.waiting).toEqual({ enabled: false, above: 5 });
  const alerts = { no_success: { enabled: false }, oldest_waiting: { above: '2h' } };
  const { body } = await world.call('PATCH', `/api/destinations/${id}`, { alerts });
  expect(body['alerts']).toEqual(alerts);
  await world.call('PATCH', `/api/destinations/${id}`, { alerts: {} });
  expect((await world.get(`/api/destinations/${id}`)).body['alerts']).toEqual({});
});

test('rules of one source or destination are of its kind, and have values that work', async () => {
  const { id } = await world.destination();
  const path = `/api/destinations/${id}`;
  const wrong = async (at: string, alerts: object): Promise<unknown> =>
    world.wrongPaths(await world.call('PATCH', at, { alerts }));
  expect(await wrong(path, { source_silent: { enabled: true } })).toEqual(['alerts.source_silent']);
  expect(await wrong(path, { oldest_waiting: { above: 'soon' } })).toEqual(['alerts.oldest_waiting.above']);
  const source = `/api/sources/${(await world.source()).id}`;
  expect(await wrong(source, { waiting: { above: 5 } })).toEqual(['alerts.waiting']);
  expect(await wrong(source, { source_silent: { after: '1s' } })).toEqual(['alerts.source_silent.after']);
  const alerts = { source_silent: { enabled: true, after: '10m' } };
  expect((await world.call('PATCH', source, { alerts })).body['alerts']).toEqual(alerts);
  const { text } = await world.get('/api/audit?action=source.update');
  expect(text).toContain('source_silent');
});

test('an address keeps what is left out of it, and no secret is shown twice', async () => {
  const slack = { kind: 'slack', url: 'https://hooks.example.com/services/hidden' };
  const made = await patch({ addresses: [{ kind: 'webhook', url: 'https://example.com/alerts' }, slack] });
  const { addresses, standardSecrets = {} } = made.body as unknown as AlertSettings;
  const [webhook, channel] = addresses;
  expect(standardSecrets).toEqual({ [webhook?.id ?? '']: expect.stringMatching(/^whsec_/) });
  expect(channel?.url).toBe('https://hooks.example.com/••••');
  const again = await patch({
    addresses: [
      { id: channel?.id, kind: 'slack' },
      { id: webhook?.id, kind: 'webhook', url: 'https://example.com/moved' },
    ],
  });
  expect(again.body).not.toHaveProperty('standardSecrets');
  expect((await now()).addresses).toEqual([channel, { ...webhook, url: 'https://example.com/moved' }]);
  const { text } = await world.get('/api/audit?action=alerts.');
  for (const hidden of ['whsec_', 'services/hidden']) expect(again.text + text + world.logged()).not.toContain(hidden);
  const foreign = await patch({ addresses: [{ id: channel?.id, kind: 'webhook', url: 'https://example.com/' }] });
  expect(world.wrongPaths(foreign)).toEqual(['addresses.0.id']);
  const inside = await patch({ addresses: [{ kind: 'webhook', url: 'https://db.internal/' }] });
  expect(world.wrongPaths(inside)).toEqual(['addresses.0.url']);
  const twice = await patch({
    addresses: [
      { id: channel?.id, kind: 'slack' },
      { id: channel?.id, kind: 'slack' },
    ],
  });
  expect(world.wrongPaths(twice)).toEqual(['addresses.1.id']);
  const empty = await patch({ addresses: [{ id: webhook?.id, kind: 'webhook', url: '' }] });
  expect(world.wrongPaths(empty)).toEqual(['addresses.0.url']);
  const many = await patch({ addresses: Array(11).fill(slack) });
  expect(world.wrongPaths(many)).toEqual(['addresses']);
});

test('a change that began with an older version is refused with what was changed since', async () => {
  const tag = (await world.get('/api/alerts')).headers.get('etag') ?? '';
  expect((await patch({ endsAfter: '4m' }, tag)).status).toBe(200);
  const late = await patch({ endsAfter: '5m' }, tag);
  expect([late.status, late.body['code']]).toEqual([412, 'changed_meanwhile']);
  expect(late.body['changes']).toMatchObject([{ action: 'alerts.update', values: [{ field: 'endsAfter' }] }]);
  expect((await now()).endsAfter).toBe('4m');
  // Changes of other things are none of these.
  await world.call('PATCH', `/api/sources/${(await world.source()).id}`, { name: 'Renamed' });
  const all = (await patch({ endsAfter: '5m' }, '"1"')).body['changes'] as { action: string }[];
  expect([...new Set(all.map(({ action }) => action))]).toEqual(['alerts.update']);
});

test('a snooze has one end', async () => {
  const path = '/api/incidents/inc_none/snooze';
  expect((await world.call('POST', path, { for: '4h' })).status).toBe(404);
  expect((await world.get('/api/incidents?state=closed')).status).toBe(400);
});
