import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventually } from '../../../../test/system/kit/eventually.ts';
import { ask } from '../../../../test/system/kit/http.ts';
import type * as contract from './contract.ts';
import { openWorld, TOKEN, type World } from './test-server.ts';

const PASSWORD = 'correct horse battery';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** A browser, as far as the service can tell one: it keeps the cookie and sends what a page tells it to. */
class Browser {
  cookie = '';
  session: contract.Session | null = null;

  async send(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
    const answer = await fetch(world.origin + path, {
      method,
      headers: {
        ...(this.cookie === '' ? {} : { cookie: this.cookie }),
        ...(this.session && method !== 'GET' ? { 'x-csrf-token': this.session.csrfToken } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const [set] = answer.headers.getSetCookie();
    if (set !== undefined) this.cookie = set.split(';')[0] ?? '';
    return answer;
  }

  /** Signs in one way or another; answers the status. */
  async opens(path: string, body: object): Promise<number> {
    const answer = await this.send('POST', path, body);
    if (answer.status === 201) this.session = (await answer.json()) as contract.Session;
    return answer.status;
  }
}

async function admin(): Promise<Browser> {
  const browser = new Browser();
  expect(await browser.opens('/api/session', { token: TOKEN })).toBe(201);
  return browser;
}

let people = 0;

async function person(role: contract.Role): Promise<Browser & { readonly email: string; readonly id: string }> {
  const email = `person-${++people}@example.com`;
  const { link } = (await world.call('POST', '/api/invites', { email, role }))
    .body as unknown as contract.CreatedInvite;
  const secret = link.replace('/invite#', '');
  const browser = new Browser();
  expect(await browser.opens('/api/invites/accept', { secret, name: 'A Person', password: PASSWORD })).toBe(201);
  return Object.assign(browser, { email, id: browser.session?.account?.id ?? '' });
}

async function audited(query: string): Promise<contract.AuditEntry[]> {
  return (await world.get(`/api/audit?${query}`)).body['items'] as contract.AuditEntry[];
}

test('signing in sets a cookie that scripts and other sites do not get', async () => {
  const answer = await fetch(`${world.origin}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: TOKEN }),
  });
  expect(answer.status).toBe(201);
  const [cookie = ''] = answer.headers.getSetCookie();
  expect(cookie).toMatch(/^millrace_session_\d+=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(cookie).toContain(`_${new URL(world.origin).port}=`);
  expect(await answer.json()).toMatchObject({ role: 'admin', account: null, version: expect.stringMatching(/^\d+\./) });
});

test('a session may do what its role may, and says who it is', async () => {
  const ada = await person('viewer');
  expect((await ada.send('GET', '/api/sources')).status).toBe(200);
  expect((await ada.send('POST', '/api/sources', { name: 'X', type: 'web' })).status).toBe(403);
  expect(await (await ada.send('GET', '/api/session')).json()).toEqual(ada.session);
  const browser = await admin();
  await browser.send('PATCH', `/api/accounts/${ada.id}`, { role: 'admin' });
  expect((await ada.send('POST', '/api/sources', { name: 'X', type: 'web' })).status).toBe(201);
});

test('a change by cookie needs the CSRF token and a page of ours; a token in the header needs neither', async () => {
  const browser = await admin();
  const change = { name: 'Shop', type: 'web' };
  const statusOf = async (headers: Record<string, string>): Promise<number> =>
    (await browser.send('POST', '/api/sources', change, headers)).status;
  const host = new URL(world.origin).host;
  expect(await statusOf({ 'x-csrf-token': '' })).toBe(403);
  expect(await statusOf({ 'x-csrf-token': (await admin()).session?.csrfToken ?? '' })).toBe(403);
  expect(await statusOf({ origin: 'https://evil.example' })).toBe(403);
  expect(await statusOf({ origin: 'null' })).toBe(403);
  expect(await statusOf({ 'sec-fetch-site': 'cross-site', origin: world.origin })).toBe(403);
  expect(await statusOf({ 'sec-fetch-site': 'same-site', origin: world.origin })).toBe(403);
  expect(await statusOf({ origin: `http://${host}` })).toBe(201);
  expect(await statusOf({ 'sec-fetch-site': 'same-origin', origin: 'https://behind-a-proxy.example' })).toBe(201);
  expect(await statusOf({})).toBe(201);
  expect((await world.call('POST', '/api/sources', change)).status).toBe(201);
  // A form of another site signs no user in.
  const signIn = await new Browser().send('POST', '/api/session', { token: TOKEN }, { origin: 'https://evil.example' });
  expect(signIn.status).toBe(403);
});

test.each([
  ['pub.example:80', 'http://pub.example', 201],
  ['PUB.example', 'http://pub.example:80', 201],
  ['pub.example:80', 'https://pub.example', 403],
  ['pub.example:8080', 'http://pub.example', 403],
])('a request to %s from a page of %s is answered %i', async (host, origin, status) => {
  const headers = { host, origin, 'content-type': 'application/json' };
  const body = JSON.stringify({ token: TOKEN });
  expect((await ask(`${world.origin}/api/session`, { headers, body })).status).toBe(status);
});

test('a wrong token in the header is not made good by a cookie', async () => {
  const browser = await admin();
  expect((await browser.send('GET', '/api/sources', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
});

test('signing out ends the session, and its cookie', async () => {
  const browser = await admin();
  const { cookie } = browser;
  const answer = await browser.send('DELETE', '/api/session');
  expect(answer.status).toBe(204);
  expect(answer.headers.getSetCookie()[0]).toMatch(/^millrace_session_\d+=; Max-Age=0; Path=\/;/);
  browser.cookie = cookie;
  expect((await browser.send('GET', '/api/session')).status).toBe(401);
  expect((await world.get('/api/session')).status).toBe(404);
  expect((await world.call('DELETE', '/api/session')).status).toBe(404);
});

test('what is given to sign in is exactly one thing', async () => {
  for (const body of [
    {},
    { token: TOKEN, link: 'x' },
    { email: 'a@b' },
    { password: 'x' },
    { token: TOKEN, email: 'a@b' },
  ]) {
    const answer = await new Browser().send('POST', '/api/session', body);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as contract.Problem).detail).toContain('exactly one of');
  }
  expect((await new Browser().send('POST', '/api/session', { user: 'x' })).status).toBe(400);
});

test('an invite is looked up, accepted once, listed and withdrawn', async () => {
  const made = await world.call('POST', '/api/invites', { email: 'Grace@Example.com', role: 'admin' });
  expect(made.status).toBe(201);
  const { link, ...invite } = made.body as unknown as contract.CreatedInvite;
  const listed = (await world.get('/api/invites')).body['items'];
  expect(listed).toContainEqual(invite);
  const secret = link.replace('/invite#', '');
  const grace = new Browser();
  expect(await (await grace.send('POST', '/api/invites/lookup', { secret })).json()).toEqual(invite);
  expect((await grace.send('POST', '/api/invites/lookup', { secret: 'x' })).status).toBe(404);
  expect(await grace.opens('/api/invites/accept', { secret, name: 'Grace', password: 'too short' })).toBe(400);
  expect(await grace.opens('/api/invites/accept', { secret, name: 'Grace', password: PASSWORD })).toBe(201);
  expect(grace.session).toMatchObject({ role: 'admin', account: { email: 'Grace@Example.com', name: 'Grace' } });
  expect(await new Browser().opens('/api/invites/accept', { secret, name: 'Eve', password: PASSWORD })).toBe(404);
  expect(await new Browser().opens('/api/session', { email: 'grace@example.com', password: PASSWORD })).toBe(201);
  expect((await world.call('POST', '/api/invites', { email: 'grace@example.com', role: 'viewer' })).status).toBe(409);
  const other = await world.call('POST', '/api/invites', { email: 'eve@example.com', role: 'viewer' });
  expect((await world.call('DELETE', `/api/invites/${String(other.body['id'])}`)).status).toBe(204);
  expect((await world.call('DELETE', `/api/invites/${String(other.body['id'])}`)).status).toBe(404);
});

test("accounts are listed, changed and deleted; an admin can't delete their own", async () => {
  const ada = await person('admin');
  const eve = await person('viewer');
  const account = (await world.get(`/api/accounts/${eve.id}`)).body;
  expect(account).toMatchObject({ email: eve.email, role: 'viewer', lastSignInAt: expect.any(String) });
  expect((await world.get('/api/accounts?limit=500')).body['items']).toContainEqual(account);
  expect(JSON.stringify(account)).not.toContain('argon2');
  expect((await ada.send('DELETE', `/api/accounts/${ada.id}`)).status).toBe(409);
  expect((await ada.send('DELETE', `/api/accounts/${eve.id}`)).status).toBe(204);
  expect((await eve.send('GET', '/api/sources')).status).toBe(401);
  expect((await world.get(`/api/accounts/${eve.id}`)).status).toBe(404);
  expect((await world.call('PATCH', `/api/accounts/${eve.id}`, { name: 'X' })).status).toBe(404);
});

test('of changes made at once, each entry of the audit log has its own change and no other', async () => {
  const { id } = await person('viewer');
  const changes = Array.from({ length: 12 }, (_, n) =>
    n % 2 === 0 ? { name: `Name ${n}` } : { role: n % 4 === 1 ? 'admin' : 'observer' },
  );
  await Promise.all(changes.map((change) => world.call('PATCH', `/api/accounts/${id}`, change)));
  const entries = (await audited('action=account.update&limit=500')).filter(({ target }) => target?.id === id);
  expect(entries.length).toBe(changes.length);
  // A role that it has already is no change.
  for (const { fields, values } of entries) {
    expect(fields).toEqual(expect.arrayContaining(values.map(({ field }) => field)));
  }
});

test('a password is changed by who knows it, and the other sessions end', async () => {
  const ada = await person('viewer');
  const elsewhere = new Browser();
  expect(await elsewhere.opens('/api/session', { email: ada.email, password: PASSWORD })).toBe(201);
  const change = { current: 'not the password', password: 'another long password' };
  const refused = await ada.send('POST', '/api/session/password', change);
  expect(await refused.json()).toMatchObject({ code: 'invalid_input', errors: [{ path: 'current' }] });
  expect((await ada.send('POST', '/api/session/password', { ...change, current: PASSWORD })).status).toBe(204);
  expect((await ada.send('GET', '/api/session')).status).toBe(200);
  expect((await elsewhere.send('GET', '/api/session')).status).toBe(401);
  expect((await world.call('POST', '/api/session/password', { ...change, current: TOKEN })).status).toBe(409);
});

test('an API token is shown once, works with its role and is refused when deleted', async () => {
  const made = await world.call('POST', '/api/tokens', { name: 'Dashboard', role: 'viewer' });
  expect(made.status).toBe(201);
  const { token, ...shown } = made.body as unknown as contract.CreatedApiToken;
  expect((await world.get('/api/tokens')).body['items']).toContainEqual(shown);
  const authorization = { authorization: `Bearer ${token}` };
  expect((await fetch(`${world.origin}/api/sources`, { headers: authorization })).status).toBe(200);
  expect((await world.get('/api/tokens')).text).not.toContain(token);
  expect((await world.call('DELETE', `/api/tokens/${shown.id}`)).status).toBe(204);
  expect((await fetch(`${world.origin}/api/sources`, { headers: authorization })).status).toBe(401);
  expect((await world.call('DELETE', `/api/tokens/${shown.id}`)).status).toBe(404);
});

test('the audit log says who changed what, and to what; of secrets only that they changed', async () => {
  const ada = await person('admin');
  const made = await ada.send('POST', '/api/sources', { type: 'web', name: 'Audited' });
  const { id } = (await made.json()) as contract.Source;
  const settings = { sharedSecret: 'secret-of-the-audit-test' };
  const { id: destination } = await world.destination();
  await ada.send('PATCH', `/api/destinations/${destination}`, { enabled: false, settings, name: 'Renamed' });
  await ada.send('PATCH', `/api/destinations/${destination}`, { enabled: 'no' });
  await ada.send('DELETE', `/api/sources/${id}`);
  await ada.send('DELETE', `/api/sources/${id}`);
  await ada.send('POST', '/api/replays', { destinationId: destination, state: 'all', dryRun: true });
  await ada.send('DELETE', '/api/session');

  const entries = await audited(`actor=${ada.email}`);
  const source = { type: 'source', id, name: 'Audited' };
  const one = { actor: ada.email, target: null, fields: [], revision: null, values: [] };
  const text = (it: unknown): unknown => (it === null || typeof it === 'object' ? it : JSON.stringify(it));
  const value = (field: string, before: unknown, after: unknown) => ({
    field,
    before: text(before),
    after: text(after),
  });
  expect(entries.map(({ id, at, address, ...entry }) => entry)).toEqual([
    { ...one, action: 'session.delete' },
    {
      ...one,
      action: 'source.delete',
      target: source,
      values: expect.arrayContaining([value('name', 'Audited', null)]),
    },
    {
      actor: ada.email,
      action: 'destination.update',
      target: { type: 'destination', id: destination, name: 'Renamed' },
      fields: ['name', 'enabled', 'settings.sharedSecret'],
      revision: 2,
      values: [
        value('name', expect.any(String), 'Renamed'),
        value('enabled', true, false),
        { field: 'settings.sharedSecret', before: null, after: null },
      ],
    },
    {
      ...one,
      action: 'source.create',
      target: source,
      fields: ['name', 'type'],
      revision: 1,
      values: expect.arrayContaining([value('type', null, 'web')]),
    },
    { ...one, action: 'invite.accept', fields: ['secret', 'name', 'password'] },
  ]);
  expect(entries.every(({ address }) => address === '127.0.0.1')).toBe(true);
  const whole = await world.get('/api/audit?limit=500');
  for (const secret of [settings.sharedSecret, PASSWORD, TOKEN]) expect(whole.text).not.toContain(secret);
});

test('the audit log says with what a token, an invite, a replay and a deletion were made, and names no user', async () => {
  const { id: destinationId } = await world.destination();
  const made = async (path: string, body: object): Promise<[string, string | null][] | undefined> => {
    expect((await world.call('POST', `/api/${path}`, body)).status).toBe(201);
    const [entry] = await audited('limit=1');
    return entry?.values.map(({ field, after }) => [field, after]);
  };
  expect(await made('tokens', { name: 'root', role: 'admin' })).toEqual([
    ['name', '"root"'],
    ['role', '"admin"'],
    ['readOnly', 'false'],
  ]);
  expect(await made('invites', { email: 'new@example.com', role: 'viewer' })).toEqual([
    ['email', '"new@example.com"'],
    ['role', '"viewer"'],
  ]);
  const filter = { event: 'Bought', userId: 'user-of-no-log' };
  expect(await made('replays', { destinationId, state: 'failed', filter, to: '2026-11-20' })).toEqual([
    ['destinationId', JSON.stringify(destinationId)],
    ['state', '"failed"'],
    ['to', '"2026-11-20T00:00:00.000Z"'],
    ['perSecond', '100'],
    ['filter.event', '"Bought"'],
    ['ofOneUser', 'true'],
  ]);
  const deletion = { regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds: ['user-of-no-log'] };
  expect(await made('regulations', deletion)).toEqual([
    ['regulationType', '"DELETE_ONLY"'],
    ['users', '1'],
  ]);
  expect((await world.get('/api/audit?limit=500')).text).not.toContain('user-of-no-log');
});

test('sign-ins and refused ones are in the audit log', async () => {
  const eve = await person('viewer');
  await new Browser().opens('/api/session', { email: eve.email, password: PASSWORD });
  await new Browser().opens('/api/session', { email: eve.email, password: 'guessed' });
  await new Browser().opens('/api/session', { token: 'guessed' });
  const [token, refused] = await audited('action=session.refuse');
  expect(token).toMatchObject({ actor: 'admin token', target: null });
  expect(refused).toMatchObject({ actor: eve.email, target: null });
  expect(await audited(`action=session.create&actor=${eve.email}`)).toHaveLength(1);
});

test("a proxy's Basic credentials beside a session are not ours; a token is, and goes before it", async () => {
  const ada = await person('viewer');
  const basic = { authorization: 'Basic cHJveHk6c2VjcmV0' };
  expect((await ada.send('GET', '/api/session', undefined, basic)).status).toBe(200);
  expect((await ada.send('GET', '/api/session', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
  expect((await fetch(`${world.origin}/api/sources`, { headers: basic })).status).toBe(401);
});

test('a refusal that cannot be written down is a refusal all the same', async () => {
  vi.spyOn(world.accounts.audit, 'audit').mockRejectedValueOnce(new Error('the disk is full'));
  expect(await new Browser().opens('/api/session', { token: 'guessed' })).toBe(401);
  expect(world.logged()).toContain('an audit entry could not be written');
});

test('what a client that has gone away changed is in the audit log, with its address', async () => {
  const email = 'gone@example.com';
  const invite = await world.call('POST', '/api/invites', { email, role: 'viewer' });
  const secret = String(invite.body['link']).replace('/invite#', '');
  const accepted = JSON.stringify({ secret, name: 'Gone', password: PASSWORD });
  const { host, hostname, port } = new URL(world.origin);
  const head = ['POST /api/invites/accept HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json'];
  const socket = connect(Number(port), hostname);
  // A password takes longer than the client waits.
  socket.write([...head, `Content-Length: ${accepted.length}`, '', accepted].join('\r\n'), () => socket.destroy());
  const entries = expect.poll(() => audited(`action=invite.accept&actor=${encodeURIComponent(email)}`));
  await entries.toMatchObject([{ address: '127.0.0.1' }]);
});

test('the audit log is paged, and bounded by time', async () => {
  const all = await audited('limit=500');
  const first = await world.get('/api/audit?limit=2');
  const second = await world.get(`/api/audit?limit=2&cursor=${String(first.body['next'])}`);
  expect([first.body['items'], second.body['items']].flat()).toEqual(all.slice(0, 4));
  const at = all.at(2)?.at ?? '';
  expect(await audited(`limit=500&to=${at}`)).toEqual(all.filter((entry) => entry.at < at));
  expect(await audited(`limit=500&from=${at}`)).toEqual(all.filter((entry) => entry.at >= at));
  for (const foreign of ['c1:nonsense', 'c1:12-3', 'c1:events 12-3', 'c1:audit 12-x', 'c1:audit 12-3 4']) {
    const cursor = Buffer.from(foreign).toString('base64url');
    expect(await world.get(`/api/audit?cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'cursor' }] },
    });
  }
});

test('a sign-in that is given up before its answer uses up no one-time link', async () => {
  const link = world.accounts.link.make().replace('/sign-in#link=', '');
  const body = JSON.stringify({ link });
  const { hostname, port, host } = new URL(world.origin);
  const socket = connect(Number(port), hostname).resume();
  const head = `POST /api/session HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.end(`${head}\r\n\r\n${body}`);
  await once(socket, 'close');
  const browser = new Browser();
  expect(
    await eventually(
      () => browser.opens('/api/session', { link }),
      (status) => status !== 401,
    ),
  ).toBe(201);
  expect(await new Browser().opens('/api/session', { link })).toBe(401);
});
