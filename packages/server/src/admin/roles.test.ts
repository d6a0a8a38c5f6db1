import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Role } from '../core/account.ts';
import type { ListedSession } from './contract.ts';
import { GOOD, openWorld, TOKEN, type World } from './test-server.ts';

const CREDENTIAL = 'Bearer the-credential-in-a-static-header';
const SECRET = 'the-shared-secret-of-this-test';

/** What a viewer may send. Nothing of it changes anything but the viewer's own session. */
const VIEWERS_OWN: ReadonlySet<string> = new Set([
  'DELETE /api/session',
  'DELETE /api/sessions/{id}',
  'POST /api/session/password',
  'POST /api/signature-checks',
  'POST /api/settings-file/plan',
  'POST /api/audiences/preview',
  'POST /api/traits/preview',
  // Only as a dry run: see below.
  'POST /api/replays',
  'POST /api/regulations',
]);

/** An admin's alone, though it changes nothing. */
const ADMINS_PREVIEW = 'POST /api/destinations/preview';

/** Routes that want no sign-in. */
const ANYONES: ReadonlySet<string> = new Set([
  'POST /api/session',
  'POST /api/invites/lookup',
  'POST /api/invites/accept',
]);

/** What an observer may call: how it goes, and nothing of persons. */
const OBSERVERS: ReadonlySet<string> = new Set([
  'GET /api/session',
  'DELETE /api/session',
  'POST /api/session/password',
  'GET /api/sessions',
  'DELETE /api/sessions/{id}',
  'GET /api/search',
  'GET /api/sources',
  'GET /api/sources/{id}',
  'GET /api/sources/{id}/totals',
  'GET /api/catalog',
  'GET /api/destinations',
  'GET /api/destinations/{id}',
  'GET /api/destinations/{id}/counts',
  'GET /api/destinations/{id}/lanes',
  'GET /api/destinations/{id}/overview',
  'GET /api/destinations/{id}/status',
  'GET /api/audiences',
  'GET /api/audiences/{id}',
  'GET /api/audiences/{id}/sizes',
  'GET /api/traits',
  'GET /api/traits/{id}',
  'GET /api/traits/{id}/sizes',
  'GET /api/profiles/status',
  'GET /api/stats',
  'GET /api/stats/sources',
  'GET /api/incidents',
  'GET /api/incidents/{id}',
  'GET /api/overview',
  'GET /api/watch',
  'GET /api/losses',
  'GET /api/loopback',
  'GET /api/backups',
  'GET /api/process-settings',
  'GET /api/retry-schedule',
  'GET /api/openapi.json',
]);

let world: World;
let viewer: Record<string, string>;
let admin: Record<string, string>;
let observer: Record<string, string>;
let ids: Record<string, string>;
let writeKey: string;
beforeAll(async () => {
  world = await openWorld();
  const tokenOf = async (role: Role): Promise<Record<string, string>> => {
    const { token } = await world.accounts.tokens.create(`A ${role}`, role);
    return { authorization: `Bearer ${token}` };
  };
  viewer = await tokenOf('viewer');
  admin = await tokenOf('admin');
  observer = await tokenOf('observer');
  const source = await world.source();
  writeKey = source.writeKey;
  const made = await world.call('POST', '/api/destinations', {
    ...GOOD,
    sourceIds: [source.id],
    settings: {
      webhooks: [{ url: 'https://203.0.112.9/hook', headers: { Authorization: CREDENTIAL } }],
      sharedSecret: SECRET,
    },
  });
  await world.accept(source.id, ['m1']);
  const { invite } = await world.accounts.people.invite('ada@example.com', 'viewer');
  const [token] = await world.accounts.tokens.list();
  const definition = { event: { name: 'Order' } };
  const audience = await world.call('POST', '/api/audiences', { name: 'Buyers', definition });
  const trait = await world.call('POST', '/api/traits', {
    name: 'Orders',
    definition: { compute: { count: true }, ...definition },
  });
  ids = {
    sources: source.id,
    destinations: String(made.body['id']),
    messages: 'm1',
    invites: invite.id,
    tokens: token?.id ?? '',
    audiences: String(audience.body['id']),
    traits: String(trait.body['id']),
    people: 'u',
  };
});
afterAll(() => world.close());

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly url: string;
}

async function operations(): Promise<Operation[]> {
  const { paths } = (await world.get('/api/openapi.json')).body as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter(() => path.startsWith('/api/'))
      .map((method) => {
        const id = ids[path.split('/')[2] ?? ''] ?? 'x';
        return { method: method.toUpperCase(), path, url: world.origin + path.replace(/\{\w+\}/, id) };
      }),
  );
}

function send(method: string, url: string, headers: Record<string, string>, body: unknown = {}): Promise<Response> {
  const json = method === 'GET' ? {} : { body: JSON.stringify(body) };
  return fetch(url, { method, headers: { ...headers, 'content-type': 'application/json' }, ...json });
}

/** Everything that can be changed. */
async function everything(): Promise<string> {
  const { settings, accounts } = world;
  const audit = { actor: null, action: null, targetId: null, from: null, to: null, cursor: null, limit: 500 };
  const tokens = (await accounts.tokens.list()).map(({ lastUsedAt, ...token }) => token);
  return JSON.stringify([
    settings.sources(),
    settings.destinations(),
    await accounts.people.list(),
    await accounts.people.invites(),
    tokens,
    (await world.get('/api/replays')).body,
    (await world.people.definitions.list()).map(({ id, name, what, key }) => ({ id, name, what, key })),
    await accounts.audit.auditEntries(audit),
  ]);
}

test('a viewer can change nothing, on any route', async () => {
  const before = await everything();
  const unsafe = (await operations()).filter(({ method }) => method !== 'GET');
  expect(unsafe.length).toBeGreaterThan(20);
  const admins = unsafe
    .map((operation) => ({ ...operation, route: `${operation.method} ${operation.path}` }))
    .filter(({ route }) => !ANYONES.has(route) && !VIEWERS_OWN.has(route));
  for (const { method, route, url } of admins) {
    const answer = await send(method, url, viewer);
    expect([route, answer.status]).toEqual([route, 403]);
    expect(await answer.json()).toMatchObject({ code: 'forbidden', detail: expect.stringContaining('token A viewer') });
  }
  expect(await everything()).toBe(before);
  // The same by an admin gets further, to any answer there.
  for (const { method, route, url } of admins) {
    if (method === 'POST') expect([route, (await send(method, url, admin, [])).status]).not.toEqual([route, 403]);
  }
});

test('a viewer may look at everything but secrets', async () => {
  const shown: string[] = [];
  // A stream has no end to wait for.
  const looks = (await operations()).filter(({ method, path }) => method === 'GET' && path !== '/api/events/live');
  for (const { path, url } of looks) {
    const answer = await send('GET', url, viewer);
    expect([path, answer.status]).not.toEqual([path, 401]);
    expect([path, answer.status]).not.toEqual([path, 403]);
    shown.push(await answer.text());
  }
  for (const secret of [writeKey, CREDENTIAL, SECRET]) {
    expect(shown.filter((text) => text.includes(secret))).toEqual([]);
  }
  const [source] = ((await (await send('GET', `${world.origin}/api/sources`, viewer)).json()) as { items: unknown[] })
    .items;
  expect(source).toMatchObject({ writeKey: `••••${writeKey.slice(-4)}` });
});

test('an observer sees how it goes, and nothing of persons: a route that does not say so is none of theirs', async () => {
  // What is refused is shown without keys, and to no observer at all.
  const source = ids['sources'] ?? '';
  world.rejections.add(source, 1000, 'event_required', 'No event', '{"userId":"ada@example.com"}');
  for (const { method, path, url } of await operations()) {
    const route = `${method} ${path}`;
    if (ANYONES.has(route) || method === 'DELETE' || route === 'POST /api/session/password') continue;
    const answer = await send(method, url, observer);
    expect([route, answer.status === 403]).toEqual([route, !OBSERVERS.has(route)]);
    const text = await answer.text();
    // Its examples are made up.
    if (path === '/api/openapi.json') continue;
    for (const personal of ['ada@example.com', '"m1"', writeKey, CREDENTIAL, SECRET]) {
      expect([route, text.includes(personal)]).toEqual([route, false]);
    }
  }
  expect((await send('GET', `${world.origin}/api/nowhere`, observer)).status).toBe(404);
});

test('a token that may only read changes nothing, whatever its role', async () => {
  const made = await world.call('POST', '/api/tokens', { name: 'Reads', role: 'admin', readOnly: true });
  const reads = { authorization: `Bearer ${String(made.body['token'])}` };
  expect(await (await send('GET', `${world.origin}/api/sources`, reads)).text()).toContain(writeKey);
  for (const { method, path, url } of await operations()) {
    const route = `${method} ${path}`;
    if (method === 'GET' || VIEWERS_OWN.has(route) || ANYONES.has(route) || route === ADMINS_PREVIEW) continue;
    expect([route, (await send(method, url, reads)).status]).toEqual([route, 403]);
  }
  const replay = { destinationId: ids['destinations'], state: 'all' };
  expect((await send('POST', `${world.origin}/api/replays`, reads, replay)).status).toBe(403);
  expect((await send('POST', `${world.origin}/api/replays`, reads, { ...replay, dryRun: true })).status).toBe(200);
});

test('a token that ends is refused from then on, and one of the past is not made', async () => {
  const past = await world.call('POST', '/api/tokens', { name: 'Past', role: 'viewer', expiresAt: '2020-01-01' });
  expect(past).toMatchObject({ status: 400, body: { errors: [{ path: 'expiresAt' }] } });
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const made = await world.call('POST', '/api/tokens', { name: 'Later', role: 'viewer', expiresAt });
  expect(made).toMatchObject({ status: 201, body: { expiresAt, readOnly: false } });
});

test('sessions are listed and ended: each their own, an admin any', async () => {
  const signedIn = await world.call('POST', '/api/session', { token: TOKEN });
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const own = { cookie, 'x-csrf-token': String(signedIn.body['csrfToken']) };
  const list = async (headers: Record<string, string>) =>
    ((await (await send('GET', `${world.origin}/api/sessions`, headers)).json()) as { items: ListedSession[] }).items;
  const [session] = (await list(own)).filter(({ current }) => current);
  expect(session).toMatchObject({ way: 'token', email: null });
  expect(JSON.stringify(await list(own))).not.toContain(cookie.split('=')[1]);
  // A token has no sessions, and a viewer sees no others'.
  expect(await list(viewer)).toEqual([]);
  expect((await send('DELETE', `${world.origin}/api/sessions/${session?.id}`, viewer)).status).toBe(404);
  expect((await send('DELETE', `${world.origin}/api/sessions/${session?.id}`, admin)).status).toBe(204);
  expect((await send('GET', `${world.origin}/api/session`, own)).status).toBe(401);
});

test('a viewer may count a replay and not begin one', async () => {
  const url = `${world.origin}/api/replays`;
  const replay = { destinationId: ids['destinations'], state: 'all' };
  expect((await send('POST', url, viewer, { ...replay, dryRun: true })).status).toBe(200);
  expect((await send('POST', url, viewer, { ...replay, dryRun: false })).status).toBe(403);
  expect((await send('POST', url, viewer, replay)).status).toBe(403);
  expect((await send('POST', url, viewer, { ...replay, dryRun: 'true' })).status).toBe(400);
});

test('a viewer may ask what a deletion would reach and not begin one', async () => {
  const url = `${world.origin}/api/regulations`;
  const deletion = { regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds: ['u1'] };
  expect((await send('POST', url, viewer, { ...deletion, dryRun: true })).status).toBe(200);
  expect((await send('POST', url, viewer, { ...deletion, dryRun: false })).status).toBe(403);
  expect((await send('POST', url, viewer, deletion)).status).toBe(403);
});

test('a path that is not there is not there for a viewer too', async () => {
  expect((await send('POST', `${world.origin}/api/nowhere`, viewer)).status).toBe(404);
  expect((await send('PUT', `${world.origin}/api/sources`, viewer)).status).toBe(405);
});

test('every route that can change something says what the audit log calls it', () => {
  const unsafe = world.routes.filter(({ path, method }) => path.startsWith('/api/') && method !== 'GET');
  expect(unsafe.length).toBeGreaterThan(20);
  expect(unsafe.filter(({ action }) => action === undefined)).toEqual([]);
  for (const { action } of unsafe) expect(action ?? 'none.at_all').toMatch(/^[a-z_]+\.[a-z_]+$/);
});
