import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, GOOD, openWorld, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const HOOK = 'https://203.0.112.9/hook';
const hooks = (...urls: string[]): object => ({ settings: { webhooks: urls.map((url) => ({ url })) } });
const secret = (sharedSecret: string): object => ({ settings: { ...GOOD.settings, sharedSecret } });
const filter = (mode: string, ...events: string[]): object => ({ trackFilter: { mode, events } });

/** What a destination can't have, the place that is named and what is said of it. */
const REFUSED: [what: string, wish: object, path: string, message: RegExp][] = [
  ['a URL with one slash', hooks('http:/203.0.112.9/hook'), 'settings.webhooks.0.url', /begins with http:\/\//],
  ['a line break in a URL', hooks('https://203.0.112.9/ho\nok'), 'settings.webhooks.0.url', /line break/],
  ['a tab in a URL', hooks('https://203.0.112.9/ho\tok'), 'settings.webhooks.0.url', /tab/],
  ['a URL twice', hooks(HOOK, HOOK), 'settings.webhooks.1.url', /same URL as webhooks\.0\.url/],
  [
    'a URL twice in two ways',
    hooks(HOOK, 'https://203.0.112.8/', ` HTTPS://203.0.112.9:443/a/../hook`),
    'settings.webhooks.2.url',
    /same URL as webhooks\.0\.url/,
  ],
  ['a line break in a secret', secret('two\nlines'), 'settings.sharedSecret', /line break/],
  ['a line break after a secret', secret('from a file\n'), 'settings.sharedSecret', /line break/],
  ['a NUL in a secret', secret('a\u0000b'), 'settings.sharedSecret', /control character/],
  ['a space before a secret', secret(' s3cret'), 'settings.sharedSecret', /space/],
  ['a wide space after a secret', secret('s3cret\u3000'), 'settings.sharedSecret', /space/],
  ['an allow filter without events', filter('allow'), 'trackFilter.events', /no track call/],
  ['a filter with an empty name', filter('deny', 'A', ''), 'trackFilter.events.1', /blank/],
  ['a filter with a name of spaces', filter('allow', ' \t'), 'trackFilter.events.0', /blank/],
  ['a filter with a space after a name', filter('allow', 'A', 'B '), 'trackFilter.events.1', /space/],
];

test.each(REFUSED)('%s is refused', async (_, wish, path, message) => {
  const { body: made } = await world.call('POST', '/api/destinations', GOOD);
  const answers: Answer[] = [
    await world.call('POST', '/api/destinations', { ...GOOD, ...wish }),
    await world.call('PATCH', `/api/destinations/${made['id']}`, wish),
  ];
  for (const { status, body } of answers) {
    expect(status).toBe(400);
    expect(body['errors']).toEqual([{ path, message: expect.stringMatching(message) }]);
  }
  const { settings, ...rest } = { ...GOOD, ...wish } as typeof GOOD;
  const { type: _type, ...entry } = { ...rest, ...settings };
  const yaml = JSON.stringify({ destinations: [{ ...entry, name: 'From a file' }] }, null, 1);
  const inFile = { path: `destinations.0.${path.replace('settings.', '')}`, message: expect.stringMatching(message) };
  for (const route of ['plan', 'apply']) {
    const { status, body } = await world.call('POST', `/api/settings-file/${route}`, { yaml });
    expect(status).toBe(400);
    expect(body['errors']).toEqual([{ ...inFile, line: expect.any(Number) }]);
  }
});

test('a source that is named twice is refused, at its second place', async () => {
  const { body: source } = await world.call('POST', '/api/sources', { name: 'Once', type: 'server' });
  const { status, body } = await world.call('POST', '/api/destinations', {
    ...GOOD,
    sourceIds: [source['id'], source['id']],
  });
  expect(status).toBe(400);
  expect(body['errors']).toEqual([{ path: 'sourceIds.1', message: 'names a source that is named before' }]);
});

test('spaces around a URL are no part of it, and a deny filter without events takes every call', async () => {
  const wish = { ...GOOD, ...hooks(`\n ${HOOK} \n`), ...filter('deny') };
  const { status, body } = await world.call('POST', '/api/destinations', wish);
  expect(status).toBe(201);
  expect(body).toMatchObject(filter('deny'));
  expect(body['settings']).toMatchObject({ webhooks: [{ url: HOOK }] });
});

test('what an older version saved stays, and everything else of it can be changed', async () => {
  const { body: made } = await world.call('POST', '/api/destinations', GOOD);
  const id = String(made['id']);
  const before = world.settings.destination(id);
  if (!before) throw new Error('it was not made');
  const webhooks = before.webhooks.flatMap((webhook) => [webhook, { ...webhook, id: 'url_twin' }]);
  const trackFilter = { mode: 'allow' as const, events: [' '] };
  await world.settings.putDestination({ ...before, webhooks, trackFilter, sharedSecret: 'old\n' });
  expect((await world.call('PATCH', `/api/destinations/${id}`, { name: 'New name' })).status).toBe(200);
  expect(world.settings.destination(id)).toMatchObject({
    name: 'New name',
    webhooks,
    trackFilter,
    sharedSecret: 'old\n',
  });
  const yaml = String((await world.get('/api/settings-file')).body['yaml']);
  const plan = await world.call('POST', '/api/settings-file/plan', { yaml });
  expect(plan.body, plan.text).toMatchObject({ changes: [] });
});
