import { expect, test } from 'vitest';
import type {
  AuditEntry,
  CreatedApiToken,
  CreatedInvite,
  Page,
  Role,
  Session,
} from '../../packages/server/src/admin/contract.ts';
import { type Answer, ask } from './kit/http.ts';
import { ADMIN_TOKEN, type Service, sharedService, startService } from './kit/service.ts';

const PASSWORD = 'correct-horse-battery-staple';

/** Level trace: nothing that any of these tests does may put a secret into a log, which the kit looks for at the end. */
const TRACE = { MILLRACE_LOG_LEVEL: 'trace' };

/** For tests that do not use up what an address may guess. */
const shared = sharedService(TRACE);

/** A browser, as far as the service can tell one. */
class Browser {
  readonly #service: Service;
  cookie = '';
  csrfToken = '';

  constructor(service: Service) {
    this.#service = service;
  }

  async send(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await ask(this.#service.url + path, {
      method,
      headers: {
        ...(this.cookie === '' ? {} : { Cookie: this.cookie }),
        ...(method === 'GET' ? {} : { 'X-CSRF-Token': this.csrfToken }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...json,
    });
    const [set] = answer.headers['set-cookie'] ?? [];
    if (set !== undefined) {
      this.cookie = set.split(';')[0] ?? '';
      const secret = this.cookie.split('=')[1] ?? '';
      if (secret !== '') this.#service.secrets.add(secret);
    }
    return answer;
  }

  async opens(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await this.send('POST', path, body, headers);
    if (answer.status === 201) {
      this.csrfToken = (JSON.parse(answer.text) as Session).csrfToken;
      this.#service.secrets.add(this.csrfToken);
    }
    return answer;
  }

  async status(method: string, path: string, body?: object): Promise<number> {
    return (await this.send(method, path, body)).status;
  }
}

async function person(service: Service, email: string, role: Role): Promise<Browser> {
  service.secrets.add(PASSWORD);
  const { link } = await service.must<CreatedInvite>('POST', '/api/invites', { email, role });
  const secret = link.replace('/invite#', '');
  service.secrets.add(secret);
  const browser = new Browser(service);
  const accepted = await browser.opens('/api/invites/accept', { secret, name: 'A Person', password: PASSWORD });
  expect(accepted.status).toBe(201);
  return browser;
}

function linkOf(service: Service): string {
  const links = [...service.stdout.matchAll(/^Open (http:\S+)\/sign-in#link=(\S+) /gm)];
  const [, origin, link = ''] = links.at(-1) ?? [];
  expect(origin).toBe(service.url);
  return link;
}

test('a session outlives the process, however that ends, and ends when its owner signs out', async () => {
  const ada = await person(shared, 'session@example.com', 'admin');
  expect(await ada.status('POST', '/api/sources', { name: 'Shop', type: 'web' })).toBe(201);
  await shared.stop();
  await shared.start();
  expect(await ada.status('GET', '/api/session')).toBe(200);
  await shared.kill();
  await shared.start();
  expect(await ada.status('POST', '/api/sources', { name: 'Shop', type: 'web' })).toBe(201);
  const { cookie } = ada;
  expect(await ada.status('DELETE', '/api/session')).toBe(204);
  ada.cookie = cookie;
  expect(await ada.status('GET', '/api/session')).toBe(401);
  await shared.kill();
  await shared.start();
  expect(await ada.status('GET', '/api/session')).toBe(401);
});

test('the cookie is kept from scripts and other sites, and goes over TLS alone where the request came by it', async () => {
  const forwarded = { 'X-Forwarded-Proto': 'https' };
  const cookieOf = async (service: Service, headers: Record<string, string>): Promise<string> => {
    const answer = await new Browser(service).opens('/api/session', { token: ADMIN_TOKEN }, headers);
    expect(answer.status).toBe(201);
    return answer.headers['set-cookie']?.[0] ?? '';
  };
  const open = /^millrace_session_\d+=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Strict$/;
  expect(await cookieOf(shared, {})).toMatch(open);
  // A peer that is not named as a proxy is not believed.
  expect(await cookieOf(shared, forwarded)).toMatch(open);
  const proxied = await startService({ ...TRACE, MILLRACE_TRUST_PROXY: '127.0.0.1' });
  expect(await cookieOf(proxied, {})).toMatch(open);
  expect(await cookieOf(proxied, forwarded)).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
});

test('a page of another site can change nothing with the cookie', async () => {
  const browser = new Browser(shared);
  await browser.opens('/api/session', { token: ADMIN_TOKEN });
  const change = { name: 'By the cookie', type: 'web' };
  const refused = [
    { 'X-CSRF-Token': '' },
    { 'X-CSRF-Token': `${browser.csrfToken}x` },
    { Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': 'cross-site' },
  ];
  for (const headers of refused) {
    const answer = await browser.send('POST', '/api/sources', change, headers);
    expect([headers, answer.status]).toEqual([headers, 403]);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'forbidden' });
  }
  const made = async (): Promise<unknown[]> =>
    (await shared.must<Page<{ name: string }>>('GET', '/api/sources')).items.filter(({ name }) => name === change.name);
  expect(await made()).toEqual([]);
  expect(await browser.status('POST', '/api/sources', change)).toBe(201);
  expect(await made()).toHaveLength(1);
});

test('a caller that guesses is slowed down; no other is, and the admin token always gets in', async () => {
  const service = await startService(TRACE);
  await person(service, 'ada@example.com', 'viewer');
  const signIn = (body: object): Promise<Answer> => new Browser(service).opens('/api/session', body);
  const email = 'ada@example.com';
  for (let n = 0; n < 10; n++) expect((await signIn({ email, password: `guess ${n}` })).status).toBe(401);
  const limited = await signIn({ email, password: PASSWORD });
  expect(limited.status).toBe(429);
  expect(JSON.parse(limited.text)).toMatchObject({ code: 'rate_limited' });
  const wait = Number(limited.headers['retry-after']);
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(30);
  const elsewhere = { method: 'POST', headers: { 'Content-Type': 'application/json' }, from: '127.0.0.2' };
  const owner = { ...elsewhere, body: JSON.stringify({ email, password: PASSWORD }) };
  expect((await ask(`${service.url}/api/session`, owner)).status).toBe(201);
  expect((await signIn({ token: ADMIN_TOKEN })).status).toBe(201);
  const { items } = await service.must<Page<AuditEntry>>('GET', '/api/audit?action=session.refuse');
  expect(items).toHaveLength(10);
});

/** It was given no token, so the only way in is what it prints. */
const TOKENLESS = { ...TRACE, MILLRACE_ADMIN_TOKEN: null };

test('the link printed at start signs in once, and another one is printed at the next', async () => {
  const service = await startService(TOKENLESS);
  const link = linkOf(service);
  const browser = new Browser(service);
  const opened = await browser.opens('/api/session', { link });
  expect(JSON.parse(opened.text)).toMatchObject({ role: 'admin', account: null });
  expect((await new Browser(service).opens('/api/session', { link })).status).toBe(401);
  await service.stop();
  await service.start();
  expect(linkOf(service)).not.toBe(link);
  expect((await new Browser(service).opens('/api/session', { link })).status).toBe(401);
  expect((await new Browser(service).opens('/api/session', { link: linkOf(service) })).status).toBe(201);
  expect(await browser.status('GET', '/api/session')).toBe(200);
  expect(service.stderr).not.toContain(link);
});

test('no link is printed where logs keep it and somebody can get in without', async () => {
  expect(shared.stdout).not.toContain('#link=');
  const service = await startService(TOKENLESS);
  const browser = new Browser(service);
  await browser.opens('/api/session', { link: linkOf(service) });
  const invite = await browser.send('POST', '/api/invites', { email: 'ada@example.com', role: 'admin' });
  const secret = String((JSON.parse(invite.text) as CreatedInvite).link).replace('/invite#', '');
  await new Browser(service).opens('/api/invites/accept', { secret, name: 'Ada', password: PASSWORD });
  const printed = service.stdout.length;
  await service.stop();
  await service.start();
  expect(service.stdout.slice(printed)).not.toContain('#link=');
});

test('another admin token ends the sessions that were opened with the old one', async () => {
  const service = await startService(TRACE);
  const browser = new Browser(service);
  await browser.opens('/api/session', { token: ADMIN_TOKEN });
  const ada = await person(service, 'ada@example.com', 'viewer');
  await service.stop();
  await service.start({ MILLRACE_ADMIN_TOKEN: 'another-admin-token-of-more' });
  expect(await browser.status('GET', '/api/session')).toBe(401);
  expect(await ada.status('GET', '/api/session')).toBe(200);
});

test('a viewer looks and changes nothing, in a browser and as a program', async () => {
  const source = await shared.source();
  const ada = await person(shared, 'viewer@example.com', 'viewer');
  const { token } = await shared.must<CreatedApiToken>('POST', '/api/tokens', { name: 'Dashboard', role: 'viewer' });
  shared.secrets.add(token);
  const program = (method: string, path: string): Promise<Answer> =>
    ask(shared.url + path, { method, headers: { Authorization: `Bearer ${token}` } });
  for (const look of [await ada.send('GET', '/api/sources'), await program('GET', '/api/sources')]) {
    expect(look.status).toBe(200);
    expect(look.text).toContain(source.id);
    expect(look.text).not.toContain(source.writeKey);
  }
  expect(await ada.status('DELETE', `/api/sources/${source.id}`)).toBe(403);
  expect((await program('DELETE', `/api/sources/${source.id}`)).status).toBe(403);
  expect((await shared.api('GET', `/api/sources/${source.id}`)).status).toBe(200);
});

test('a new password ends the other sessions; a deleted account all of them', async () => {
  const here = await person(shared, 'ada@example.com', 'viewer');
  const there = new Browser(shared);
  await there.opens('/api/session', { email: 'ADA@example.com', password: PASSWORD });
  const password = 'another-long-password';
  shared.secrets.add(password);
  expect(await here.status('POST', '/api/session/password', { current: PASSWORD, password })).toBe(204);
  expect(await here.status('GET', '/api/session')).toBe(200);
  expect(await there.status('GET', '/api/session')).toBe(401);
  expect((await there.opens('/api/session', { email: 'ada@example.com', password })).status).toBe(201);
  const { items } = await shared.must<Page<{ id: string; email: string }>>('GET', '/api/accounts');
  await shared.must('DELETE', `/api/accounts/${items.find(({ email }) => email === 'ada@example.com')?.id}`);
  expect(await here.status('GET', '/api/session')).toBe(401);
  expect(await there.status('GET', '/api/session')).toBe(401);
});

test('the audit log outlives kill -9, entry by entry', async () => {
  const ada = await person(shared, 'audited@example.com', 'admin');
  const made = await ada.send('POST', '/api/sources', { name: 'Shop', type: 'web' });
  const { id, writeKey } = JSON.parse(made.text) as { id: string; writeKey: string };
  shared.secrets.add(writeKey);
  await shared.kill();
  await shared.start();
  const { items } = await shared.must<Page<AuditEntry>>('GET', '/api/audit?actor=audited@example.com');
  expect(items.map(({ action }) => action)).toEqual(['source.create', 'invite.accept']);
  expect(items[0]).toMatchObject({
    target: { type: 'source', id, name: 'Shop' },
    fields: ['name', 'type'],
    address: '127.0.0.1',
  });
});
