import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as contract from './contract.ts';
import { GOOD, openWorld, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const LATER = expect.stringMatching(/Z$/);
const SECRET = 'shared-secret-0123456789';

test('sources: made, listed, changed, given a new key, deleted', async () => {
  const made = await world.call('POST', '/api/sources', { name: 'Web shop', type: 'web' });
  expect(made.status).toBe(201);
  const source = made.body as unknown as contract.Source;
  expect(source).toEqual({
    id: expect.stringMatching(/^src_[a-z2-7]{16}$/),
    name: 'Web shop',
    type: 'web',
    writeKey: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
    enabled: true,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    oldKey: null,
    sentBy: null,
    allowedOrigins: [],
    quota: null,
    alerts: {},
    limits: { eventsPerSecond: 2_000, bytesPerSecond: 4_000_000, eventsPerDay: null },
    revision: 1,
  });
  const path = `/api/sources/${source.id}`;
  expect(made.headers.get('location')).toBe(path);
  expect(made.headers.get('cache-control')).toBe('no-store');
  expect((await world.get(path)).body).toEqual(source);
  expect(((await world.get('/api/sources?limit=500')).body['items'] as unknown[]).at(-1)).toEqual(source);

  // The key of a page is public: what it was used for would be trusted.
  expect(await world.call('PATCH', path, { type: 'server' })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'type', message: expect.stringContaining('its write key was public') }] },
  });
  expect((await world.call('PATCH', path, { enabled: false })).body).toEqual({
    ...source,
    enabled: false,
    revision: 2,
  });
  const rotated = (await world.call('POST', `${path}/rotate-key`)).body;
  expect(rotated['writeKey']).not.toBe(source.writeKey);
  expect(world.settings.sourceByWriteKey(source.writeKey)).toBeUndefined();
  world.rejections.add(source.id, 1000, 'event_required', 'No event', '{}');
  expect((await world.get(`${path}/totals`)).body).toEqual({ accepted: 0, duplicates: 0, rejected: 1, notJoined: 0 });
  expect((await world.get(`${path}/rejections`)).body).toEqual({
    items: [{ at: '1970-01-01T00:00:01.000Z', code: 'event_required', message: 'No event', part: '{}' }],
    next: null,
  });
  world.rejections.add(source.id, 2000, 'invalid_json', 'No JSON', '{');
  expect((await world.get(`${path}/rejections?limit=1`)).body).toMatchObject({ items: [{ code: 'invalid_json' }] });
  for (const query of ['limit=0', 'limit=501', 'cursor=x']) {
    expect(await world.get(`${path}/rejections?${query}`)).toMatchObject({ status: 400 });
  }

  const seen: unknown[] = [];
  let cursor = '';
  for (const isLast of [false, true]) {
    const { body } = await world.get(`/api/rejections?sourceId=${source.id}&limit=1${cursor}`);
    const { items, next } = body as unknown as contract.Page<contract.RejectionGroup>;
    seen.push(...items.map(({ code }) => code));
    expect(next === null).toBe(isLast);
    cursor = `&cursor=${next}`;
  }
  expect(seen).toEqual(['invalid_json', 'event_required']);

  const clash = await world.call('POST', '/api/sources', { name: 'B', type: 'web', writeKey: rotated['writeKey'] });
  expect(clash).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect((await world.call('DELETE', path)).status).toBe(204);
  expect(await world.get(path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect((await world.call('DELETE', path)).status).toBe(404);
});

test('a rotated key is taken for as long as was asked, and one at most', async () => {
  const source = await world.source();
  const path = `/api/sources/${source.id}`;
  const before = Date.now();
  const rotated = (await world.call('POST', `${path}/rotate-key`, { overlapHours: 48 }))
    .body as unknown as contract.Source;
  expect(rotated.oldKey?.writeKey).toBe(source.writeKey);
  const until = Date.parse(rotated.oldKey?.until ?? '');
  expect(until).toBeGreaterThanOrEqual(before + 48 * 3_600_000);
  expect(until).toBeLessThanOrEqual(Date.now() + 48 * 3_600_000);
  expect((await world.get(path)).body).toEqual(rotated);
  for (const key of [source.writeKey, rotated.writeKey])
    expect(world.settings.sourceByWriteKey(key)?.id).toBe(source.id);
  const clash = await world.call('POST', '/api/sources', { name: 'B', type: 'web', writeKey: source.writeKey });
  expect(clash).toMatchObject({ status: 409 });

  const again = (await world.call('POST', `${path}/rotate-key`, { overlapHours: 1 }))
    .body as unknown as contract.Source;
  expect(again.oldKey?.writeKey).toBe(rotated.writeKey);
  expect(world.settings.sourceByWriteKey(source.writeKey)).toBeUndefined();
  expect((await world.call('DELETE', `${path}/old-key`)).status).toBe(204);
  expect(world.settings.sourceByWriteKey(rotated.writeKey)).toBeUndefined();
  expect(world.settings.sourceByWriteKey(again.writeKey)?.id).toBe(source.id);
  expect((await world.get(path)).body).toEqual({ ...again, oldKey: null, revision: again.revision + 1 });
  expect(await world.call('DELETE', `${path}/old-key`)).toMatchObject({ status: 404 });

  await world.call('POST', `${path}/rotate-key`, { overlapHours: 1 });
  expect((await world.call('POST', `${path}/rotate-key`, {})).body['oldKey']).toBeNull();
  expect(world.settings.sourceByWriteKey(again.writeKey)).toBeUndefined();
});

test.each([
  [{ overlapHours: 721 }, 'overlapHours'],
  [{ overlapHours: -1 }, 'overlapHours'],
  [{ hours: 1 }, 'hours'],
])('a rotation that is refused: %j', async (body, path) => {
  const { id } = await world.source();
  const answer = await world.call('POST', `/api/sources/${id}/rotate-key`, body);
  expect(answer.status).toBe(400);
  expect(world.wrongPaths(answer)).toEqual([path]);
});

const wrongSources: [object, string[]][] = [
  [{}, ['name', 'type']],
  [{ name: ' ', type: 'web' }, ['name']],
  [{ name: '\u0000\u200b', type: 'web' }, ['name']],
  [{ name: 'x'.repeat(201), type: 'desktop' }, ['name', 'type']],
  [{ name: 'A', type: 'web', color: 'red' }, ['color']],
  [{ name: 5, type: 'web', writeKey: 'short' }, ['name', 'writeKey']],
];

test.each(wrongSources)('a source that is refused names its wrong fields: %j', async (body, paths) => {
  const answer = await world.call('POST', '/api/sources', body);
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input', type: 'about:blank' } });
  expect(world.wrongPaths(answer)).toEqual(paths);
});

test('the end of a secret that was replaced is shown until then', async () => {
  const { id } = await world.destination();
  const view = async (until: number): Promise<unknown> => {
    const former = { sharedSecret: { secret: 'first', until: new Date(until).toISOString() } };
    await world.settings.changeDestination(id, (now) => ({ ...now, sharedSecret: 'second', former }));
    return (await world.get(`/api/destinations/${id}`)).body['settings'];
  };
  const soon = Date.now() + 3_600_000;
  expect(await view(soon)).toMatchObject({ sharedSecret: { set: true, previousUntil: new Date(soon).toISOString() } });
  expect(await view(Date.now())).toHaveProperty('sharedSecret', { set: true });
});

test('the catalog holds Webhooks, with the schema of its settings', async () => {
  const { body } = await world.get('/api/catalog');
  expect(body['items']).toMatchObject([
    { name: 'Webhooks', settings: { type: 'object', properties: { webhooks: { minItems: 1, maxItems: 5 } } } },
  ]);
});

const URL_ID = { id: expect.stringMatching(/^url_\w{16}$/) as string };

test('destinations: made, changed field by field, secrets never come back', async () => {
  const source = await world.source();
  const made = await world.call('POST', '/api/destinations', {
    name: 'CRM',
    type: 'Webhooks',
    sourceIds: [source.id],
    settings: {
      webhooks: [{ url: 'https://203.0.112.9/hook', headers: { 'X-Team': 'growth' } }],
      sharedSecret: SECRET,
    },
    trackFilter: { mode: 'deny', events: ['Mouse Moved'] },
    maxEventAgeHours: 720,
  });
  const destination = made.body as unknown as contract.Destination;
  expect(made.status, made.text).toBe(201);
  expect(destination).toMatchObject({
    id: expect.stringMatching(/^dst_[a-z2-7]{16}$/),
    enabled: true,
    settings: {
      webhooks: [{ ...URL_ID, url: 'https://203.0.112.9/hook', headers: { 'X-Team': 'growth' } }],
      sharedSecret: { set: true },
    },
    maxEventAgeHours: 720,
  });
  const path = `/api/destinations/${destination.id}`;
  const change = async (body: object): Promise<unknown> => (await world.call('PATCH', path, body)).body;

  expect(await change({})).toEqual(destination);
  const webhooks = [
    { url: 'https://203.0.112.8/a' },
    { url: 'https://203.0.112.8/b', headers: { Authorization: 'k' } },
  ];
  const moved = {
    ...destination.settings,
    webhooks: webhooks.map(({ url, headers = {} }) => ({ ...URL_ID, url, headers })),
  };
  expect(await change({ settings: { webhooks } })).toEqual({
    ...destination,
    settings: moved,
    updatedAt: LATER,
    revision: 2,
  });
  expect(world.settings.destination(destination.id)?.sharedSecret).toBe(SECRET);
  expect(await change({ settings: { sharedSecret: null } })).toMatchObject({
    settings: { ...moved, sharedSecret: { set: false } },
  });
  expect(await change({ settings: { sharedSecret: 'another' } })).toMatchObject({
    settings: { sharedSecret: { set: true } },
  });
  expect(world.settings.destination(destination.id)?.sharedSecret).toBe('another');
  expect(await change({ maxEventAgeHours: 87_600 })).toMatchObject({ maxEventAgeHours: 87_600 });
  expect(await change({ maxEventAgeHours: null })).toMatchObject({ maxEventAgeHours: null });
  expect(await change({ trackFilter: null, enabled: false, name: 'Old CRM', sourceIds: [] })).toMatchObject({
    trackFilter: null,
    enabled: false,
    name: 'Old CRM',
    sourceIds: [],
  });

  const listed = await world.get('/api/destinations?limit=500');
  expect(listed.text + (await world.get(path)).text + made.text).not.toContain(SECRET);
  expect((await world.call('DELETE', path)).status).toBe(204);
  expect((await world.get(path)).status).toBe(404);
  expect(world.logged()).not.toContain(SECRET);
});

const url = (text: string, headers: object = {}): object => ({
  ...GOOD,
  settings: { webhooks: [{ url: text, headers }] },
});

test('changes at the same moment all count', async () => {
  const { id } = await world.destination();
  const path = `/api/destinations/${id}`;
  const changes = [{ name: 'Renamed' }, { enabled: false }, { settings: { sharedSecret: SECRET } }, { sourceIds: [] }];
  await Promise.all(changes.map((change) => world.call('PATCH', path, change)));
  expect((await world.get(path)).body).toMatchObject({
    name: 'Renamed',
    enabled: false,
    sourceIds: [],
    settings: { sharedSecret: { set: true } },
  });
});

const wrongDestinations: [string, object, string, string[]][] = [
  ['nothing given', {}, 'invalid_input', ['name', 'type', 'settings']],
  ['another type', { ...GOOD, type: 'webhooks' }, 'invalid_input', ['type']],
  ['no URL', { ...GOOD, settings: { webhooks: [] } }, 'invalid_input', ['settings.webhooks']],
  [
    'six URLs',
    { ...GOOD, settings: { webhooks: Array.from({ length: 6 }, () => ({ url: 'https://203.0.112.9/' })) } },
    'invalid_input',
    ['settings.webhooks'],
  ],
  ['no address', url('not a url'), 'invalid_input', ['settings.webhooks.0.url']],
  ['another protocol', url('ftp://203.0.112.9/'), 'invalid_input', ['settings.webhooks.0.url']],
  ['a private address', url('http://127.0.0.1/'), 'address_not_allowed', ['settings.webhooks.0.url']],
  [
    'a forbidden header',
    url('https://203.0.112.9/', { Host: 'x' }),
    'invalid_input',
    ['settings.webhooks.0.headers.Host'],
  ],
  [
    'a line break in a header',
    url('https://203.0.112.9/', { 'X-A': 'a\r\nb: c' }),
    'invalid_input',
    ['settings.webhooks.0.headers.X-A'],
  ],
  [
    'a header that is no text',
    url('https://203.0.112.9/', { A: 1 }),
    'invalid_input',
    ['settings.webhooks.0.headers.A'],
  ],
  ['a source that is not there', { ...GOOD, sourceIds: ['src_none'] }, 'invalid_input', ['sourceIds.0']],
  [
    'an empty secret',
    { ...GOOD, settings: { ...GOOD.settings, sharedSecret: '' } },
    'invalid_input',
    ['settings.sharedSecret'],
  ],
  [
    'unknown fields',
    { ...GOOD, colour: 1, settings: { webhooks: [{ url: 'https://203.0.112.9/', method: 'GET' }] } },
    'invalid_input',
    ['settings.webhooks.0.method', 'colour'],
  ],
  [
    'a wrong filter',
    { ...GOOD, trackFilter: { mode: 'maybe', events: [1] } },
    'invalid_input',
    ['trackFilter.mode', 'trackFilter.events.0'],
  ],
  ...[0, 1.5, 87_601, '24'].map((hours): (typeof wrongDestinations)[number] => [
    `an age of ${JSON.stringify(hours)} hours`,
    { ...GOOD, maxEventAgeHours: hours },
    'invalid_input',
    ['maxEventAgeHours'],
  ]),
];

test.each(wrongDestinations)('a destination is refused: %s', async (_, body, code, paths) => {
  const answer = await world.call('POST', '/api/destinations', body);
  expect(answer.status, answer.text).toBe(400);
  expect(answer.body['code']).toBe(code);
  expect(world.wrongPaths(answer).sort()).toEqual([...paths].sort());
  expect(world.settings.destinations().every(({ name }) => name !== 'CRM')).toBe(true);
});

test('a URL keeps its id when it is edited under it, moved, or sent by its text; no other gets it', async () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => `https://203.0.112.9/${name}`);
  const made = await world.call('POST', '/api/destinations', {
    ...GOOD,
    settings: { webhooks: [{ url: a }, { url: b }] },
  });
  const path = `/api/destinations/${made.body['id']}`;
  const idsOf = ({ body }: typeof made): string[] =>
    (body as unknown as contract.Destination).settings.webhooks.map(({ id }) => id);
  const ask = (webhooks: object[]): Promise<typeof made> => world.call('PATCH', path, { settings: { webhooks } });
  const [one = '', two = ''] = idsOf(made);
  expect(one).not.toBe(two);
  // By its text, however it is typed.
  expect(idsOf(await ask([{ url: ` ${b}` }, { url: a, headers: { 'X-A': '1' } }]))).toEqual([two, one]);
  // Edited, beside a new one.
  const [three = '', ...edited] = idsOf(await ask([{ url: c }, { id: two, url: d }, { url: a }]));
  expect(edited).toEqual([two, one]);
  expect([one, two]).not.toContain(three);
  // An id that is sent goes before a text; whose URL that was is another's then.
  const [first, second] = idsOf(await ask([{ url: a }, { id: one, url: b }]));
  expect(second).toBe(one);
  expect([one, two, three]).not.toContain(first);
  const none = 'is the id of no URL that this destination has: leave it out for a new URL';
  for (const [webhooks, wrong] of [
    [[{ url: a }, { id: two, url: b }], { path: 'settings.webhooks.1.id', message: none }],
    [
      [
        { id: one, url: a },
        { id: one, url: b },
      ],
      { path: 'settings.webhooks.1.id', message: 'is the id of webhooks.0 too: each URL has its own' },
    ],
  ] as const) {
    expect(await ask([...webhooks])).toMatchObject({ status: 400, body: { code: 'invalid_input', errors: [wrong] } });
  }
  const fresh = await world.call('POST', '/api/destinations', {
    ...GOOD,
    settings: { webhooks: [{ id: one, url: a }] },
  });
  expect(fresh).toMatchObject({ status: 400, body: { errors: [{ path: 'settings.webhooks.0.id', message: none }] } });
});

test.each([
  ['/api/sources', { type: 'web' }],
  ['/api/destinations', GOOD],
  ['/api/audiences', { definition: { trait: 'plan', is: { equals: 'pro' } } }],
  ['/api/tokens', { role: 'viewer' }],
])('a name in %s is kept without the spaces at its ends', async (path, more) => {
  const { body } = await world.call('POST', path, { ...more, name: ' Spaced\u00a0' });
  expect(body['name']).toBe('Spaced');
  if (path === '/api/tokens') return;
  expect((await world.call('PATCH', `${path}/${body['id']}`, { name: ' Other ' })).body['name']).toBe('Other');
});

test('a URL is kept as it is called, and not as it was typed', async () => {
  const typed = ' https://Hooks.Example.com:443/a/../b?x=1';
  const made = await world.call('POST', '/api/destinations', {
    name: 'Typed',
    type: 'Webhooks',
    settings: { webhooks: [{ url: typed }] },
  });
  expect(made.body['settings']).toMatchObject({ webhooks: [{ url: 'https://hooks.example.com/b?x=1' }] });
  const yaml = `destinations: [{ id: ${made.body['id']}, webhooks: [{ url: "${typed.trim()}" }] }]`;
  const planned = await world.call('POST', '/api/settings-file/plan', { yaml });
  expect(planned.body['changes']).toEqual([]);
});
