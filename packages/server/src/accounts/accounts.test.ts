import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Trouble } from '../core/trouble.ts';
import { openWorld, type SqliteWorld } from '../stores/sqlite/test-world.ts';
import { type Accounts, accountUpkeep, createAccounts } from './accounts.ts';
import { hashOf } from './secrets.ts';
import type { FoundSession } from './sessions.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const PASSWORD = 'correct horse battery';

let world: SqliteWorld;
let accounts: Accounts;
beforeEach(async () => {
  world = await openWorld();
  accounts = started('the-admin-token');
});
afterEach(() => world.close());

/** The accounts as a process that was just started has them. */
function started(adminToken: string): Accounts {
  let ids = 0;
  const newId = (kind: string): string => `${kind}_${++ids}`;
  const log = { warn: (fields: object) => expect.unreachable(JSON.stringify(fields)) };
  const adminTokenHash = hashOf(adminToken);
  return createAccounts({ store: world.accounts, clock: world.clock, random: randomBytes, newId, adminTokenHash, log });
}

async function invited(email: string, role: 'admin' | 'viewer' = 'viewer'): Promise<FoundSession> {
  const { link } = await accounts.people.invite(email, role);
  return accounts.people.accept(link.replace('/invite#', ''), 'A Person', PASSWORD);
}

const open = (email: string, password: string, address = '192.0.2.1'): Promise<FoundSession> =>
  accounts.signIn({ email, password }, address);

test('a session lives fourteen days after it was last used, and is written once an hour', async () => {
  const { session } = await invited('ada@example.com');
  world.clock.advance(HOUR - 1);
  expect(await accounts.sessions.find(session.secret)).toMatchObject({ renewed: false });
  world.clock.advance(1);
  expect(await accounts.sessions.find(session.secret, false)).toMatchObject({ renewed: false });
  expect(await accounts.sessions.find(session.secret)).toMatchObject({ renewed: true });
  expect(await accounts.sessions.find(session.secret)).toMatchObject({ renewed: false });
  world.clock.advance(14 * DAY - 1);
  const found = await accounts.sessions.find(session.secret);
  expect(found).toMatchObject({ renewed: true, caller: { actor: 'ada@example.com', role: 'viewer' } });
  expect(found?.session.csrfToken).toBe(session.csrfToken);
  world.clock.advance(14 * DAY);
  expect(await accounts.sessions.find(session.secret)).toBeNull();
});

test('what is stored of a session opens none', async () => {
  const { session } = await accounts.signIn({ token: 'the-admin-token' }, '192.0.2.1');
  expect(await accounts.sessions.find(session.hash)).toBeNull();
  expect(await accounts.sessions.find(session.csrfToken)).toBeNull();
  expect(await accounts.sessions.find('')).toBeNull();
});

test('a session of the admin token ends with that token; one of an account does not', async () => {
  const own = await accounts.signIn({ token: 'the-admin-token' }, '192.0.2.1');
  const byLink = await accounts.signIn({ link: secretOf(accounts) }, '192.0.2.1');
  const person = await invited('ada@example.com');
  accounts = started('the-admin-token');
  expect(await accounts.sessions.find(own.session.secret)).toMatchObject({ caller: { actor: 'admin token' } });
  expect(await accounts.sessions.find(byLink.session.secret)).toMatchObject({ caller: { actor: 'one-time link' } });
  accounts = started('another-admin-token');
  expect(await accounts.sessions.find(own.session.secret)).toBeNull();
  expect(await accounts.sessions.find(byLink.session.secret)).toBeNull();
  expect(await accounts.sessions.find(person.session.secret)).not.toBeNull();
});

test('a one-time link opens one session, within an hour of the start', async () => {
  const secret = secretOf(accounts);
  await expect(accounts.signIn({ link: `${secret}x` }, '192.0.2.1')).rejects.toThrow('The link was used');
  expect(await accounts.signIn({ link: secret }, '192.0.2.1')).toMatchObject({ caller: { role: 'admin' } });
  await expect(accounts.signIn({ link: secret }, '192.0.2.1')).rejects.toThrow('The link was used');
  const before = secretOf(accounts);
  const given = await accounts.signIn({ link: before }, '192.0.2.1');
  await accounts.signIn({ link: secretOf(accounts) }, '192.0.2.1');
  await given.giveUp();
  await expect(accounts.signIn({ link: before }, '192.0.2.1')).rejects.toThrow('The link was used');
  const late = secretOf(accounts);
  world.clock.advance(HOUR);
  await expect(accounts.signIn({ link: late }, '192.0.2.1')).rejects.toThrow('older than an hour');
});

test('where nothing can be written, sessions and tokens are still good, and no one-time link is used up', async () => {
  const { session } = await invited('ada@example.com');
  const { token } = await accounts.tokens.create('Dashboard', 'viewer');
  const written = new Set<unknown>(['renewSession', 'noteTokenUse', 'addSession']);
  const full = async (): Promise<never> => {
    throw new Error('the disk is full');
  };
  const store = new Proxy(world.accounts, {
    get: (real, name) => (written.has(name) ? full : Reflect.get(real, name).bind(real)),
  });
  const warned: string[] = [];
  const log = { warn: (_: object, message: string) => warned.push(message) };
  const options = { store, clock: world.clock, random: randomBytes, adminTokenHash: hashOf('the-admin-token'), log };
  accounts = createAccounts({ ...options, newId: () => expect.unreachable('nothing is made here') });
  world.clock.advance(HOUR);
  expect(await accounts.sessions.find(session.secret)).toMatchObject({ renewed: false, caller: { role: 'viewer' } });
  expect(await accounts.tokens.find(token)).toMatchObject({ role: 'viewer' });
  expect(warned).toEqual(['a session could not be renewed', 'the use of an API token could not be noted']);
  const link = secretOf(accounts);
  await expect(accounts.signIn({ link }, '192.0.2.1')).rejects.toThrow('the disk is full');
  written.clear();
  expect(await accounts.signIn({ link }, '192.0.2.1')).toMatchObject({ caller: { actor: 'one-time link' } });
});

test('a role that was changed and an account that was deleted show in sessions at once', async () => {
  const { session, caller } = await invited('ada@example.com');
  const id = caller.account?.id ?? '';
  await accounts.people.change(id, { role: 'admin' });
  expect(await accounts.sessions.find(session.secret)).toMatchObject({ caller: { role: 'admin' } });
  const admin = await invited('bob@example.com', 'admin');
  await expect(accounts.people.delete(admin.caller.account?.id ?? '', admin.caller)).rejects.toThrow('your own');
  await accounts.people.delete(id, admin.caller);
  expect(await accounts.sessions.find(session.secret)).toBeNull();
  await expect(open('ada@example.com', PASSWORD)).rejects.toThrow('is wrong');
});

test('a new password ends the other sessions, and needs the one before', async () => {
  const { session: other } = await invited('ada@example.com');
  const { caller, session } = await open('ADA@example.com', PASSWORD);
  expect(await accounts.people.changePassword(caller, 'wrong', 'another long password')).toBe(false);
  expect(await accounts.sessions.find(other.secret)).not.toBeNull();
  expect(await accounts.people.changePassword(caller, PASSWORD, 'another long password')).toBe(true);
  expect(await accounts.sessions.find(other.secret)).toBeNull();
  expect(await accounts.sessions.find(session.secret)).not.toBeNull();
  await expect(open('ada@example.com', PASSWORD)).rejects.toThrow('is wrong');
  await open('ada@example.com', 'another long password');
});

test('a sign-in with the old password that a new one overtakes opens nothing', async () => {
  const { caller } = await invited('ada@example.com');
  const add = world.accounts.addSession.bind(world.accounts);
  let hash = '';
  vi.spyOn(world.accounts, 'addSession').mockImplementationOnce(async (session) => {
    hash = session.hash;
    expect(await accounts.people.changePassword(caller, PASSWORD, 'another long password')).toBe(true);
    await add(session);
  });
  await expect(open('ada@example.com', PASSWORD)).rejects.toThrow('is wrong');
  expect(hash).not.toBe('');
  expect(await world.accounts.session(hash, world.clock.now())).toBeNull();
  await open('ada@example.com', 'another long password');
});

test("the password behind an open session can't be guessed", async () => {
  const { caller } = await invited('ada@example.com');
  for (let n = 0; n < 10; n++) await accounts.people.changePassword(caller, `wrong ${n}`, 'another long password');
  await expect(accounts.people.changePassword(caller, PASSWORD, 'another long password')).rejects.toThrow('wait');
  // Another session of the same person is not held up by it.
  const own = (await open('ada@example.com', PASSWORD)).caller;
  expect(await accounts.people.changePassword(own, PASSWORD, 'another long password')).toBe(true);
});

test('a caller that guesses slows down their own address, and keeps no other caller out', async () => {
  await invited('ada@example.com');
  for (let n = 0; n < 10; n++) {
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      await expect(open('Ada@Example.com', 'wrong', address)).rejects.toThrow('is wrong');
    }
  }
  await expect(open('ada@example.com', PASSWORD, '192.0.2.1')).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfter: 30,
  });
  await open('ada@example.com', PASSWORD, '198.51.100.1');
  // The right password is looked at within half a minute there, too.
  world.clock.advance(30_000);
  await open('ada@example.com', PASSWORD, '192.0.2.1');
});

test('many accounts from one address are slowed down together', async () => {
  for (let n = 0; n < 30; n++) {
    await expect(open(`${n}@example.com`, 'wrong', '198.51.100.1')).rejects.toThrow('is wrong');
  }
  await expect(open('bob@example.com', 'x', '198.51.100.1')).rejects.toMatchObject({ code: 'rate_limited' });
  await expect(open('bob@example.com', 'x', '198.51.100.2')).rejects.toThrow('is wrong');
});

test('an attempt that the address is refused counts as no failure of the account', async () => {
  await invited('ada@example.com');
  for (let n = 0; n < 30; n++) {
    await expect(open(`${n}@example.com`, 'wrong', '198.51.100.1')).rejects.toThrow('is wrong');
  }
  for (let n = 0; n < 20; n++) {
    await expect(open('ada@example.com', PASSWORD, '198.51.100.1')).rejects.toMatchObject({ code: 'rate_limited' });
  }
  world.clock.advance(10_000);
  await open('ada@example.com', PASSWORD, '198.51.100.1');
});

test('the right admin token opens a session whatever failed before; wrong ones run into the limit', async () => {
  const guess = (token: string): Promise<FoundSession> => accounts.signIn({ token }, '192.0.2.1');
  for (let n = 0; n < 30; n++) await expect(guess(`wrong ${n}`)).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(guess('wrong')).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 10 });
  await expect(accounts.signIn({ link: 'wrong' }, '192.0.2.1')).rejects.toMatchObject({ code: 'rate_limited' });
  expect(await guess('the-admin-token')).toMatchObject({ caller: { actor: 'admin token' } });
});

test('an invite is for seven days, and one for whom has an account is refused', async () => {
  const { link } = await accounts.people.invite('ada@example.com', 'viewer');
  const secret = link.replace('/invite#', '');
  expect(await accounts.people.lookUp(secret)).toMatchObject({ email: 'ada@example.com', role: 'viewer' });
  world.clock.advance(7 * DAY);
  await expect(accounts.people.lookUp(secret)).rejects.toMatchObject({ code: 'not_found' });
  await expect(accounts.people.accept(secret, 'Ada', PASSWORD)).rejects.toMatchObject({ code: 'not_found' });
  await invited('ada@example.com');
  await expect(accounts.people.invite('ADA@example.com', 'admin')).rejects.toMatchObject({ code: 'conflict' });
});

test('a session lives for thirty days at most, however much it is used', async () => {
  await invited('ada@example.com');
  const { session } = await open('ada@example.com', PASSWORD);
  for (let day = 1; day < 30; day++) {
    world.clock.advance(DAY);
    expect(await accounts.sessions.find(session.secret)).not.toBeNull();
  }
  world.clock.advance(DAY);
  expect(await accounts.sessions.find(session.secret)).toBeNull();
});

test('sessions that are open are listed, and their ids open none', async () => {
  const { session: own } = await invited('ada@example.com').then(() => open('ada@example.com', PASSWORD));
  world.clock.advance(1);
  const { session: other } = await accounts.signIn({ token: 'the-admin-token' }, '192.0.2.1');
  const listed = await accounts.sessions.list();
  expect(listed[0]?.hash).toBe(other.hash);
  expect(listed.map(({ hash }) => hash)).toContain(own.hash);
  for (const { id } of listed) expect(await accounts.sessions.find(id)).toBeNull();
  const [first] = listed;
  if (first) await accounts.sessions.close(first);
  expect(await accounts.sessions.find(other.secret)).toBeNull();
});

test('an API token ends when it was said to, and opens nothing from then on', async () => {
  const expiresAt = world.clock.now() + DAY;
  const { token } = await accounts.tokens.create('Release', 'admin', { expiresAt, readOnly: true });
  const caller = await accounts.tokens.find(token);
  expect(caller).toMatchObject({ role: 'admin', readOnly: true });
  world.clock.advance(DAY);
  expect(await accounts.tokens.find(token)).toBeNull();
  expect(caller && (await accounts.isStillIn(caller))).toBe(false);
});

test('a link that was not made opens nothing', async () => {
  await expect(accounts.signIn({ link: '' }, '192.0.2.1')).rejects.toMatchObject({ code: 'unauthorized' });
  const first = accounts.link.make();
  const second = accounts.link.make();
  const open = (path: string) => accounts.signIn({ link: path.replace('/sign-in#link=', '') }, '192.0.2.1');
  await expect(open(first)).rejects.toMatchObject({ code: 'unauthorized' });
  expect(await open(second)).toMatchObject({ caller: { actor: 'one-time link' } });
});

test('an API token is its name and role, and its last use is known to the minute', async () => {
  const { stored, token } = await accounts.tokens.create('Dashboard', 'viewer');
  const lastUsedAt = async (): Promise<number | null | undefined> => (await accounts.tokens.list())[0]?.lastUsedAt;
  expect(token).toMatch(/^mrt_[\w-]{43}$/);
  expect(await lastUsedAt()).toBeNull();
  const first = world.clock.now();
  expect(await accounts.tokens.find(token)).toMatchObject({ role: 'viewer', actor: 'token Dashboard', session: null });
  world.clock.advance(59_999);
  await accounts.tokens.find(token);
  expect(await lastUsedAt()).toBe(first);
  world.clock.advance(1);
  await accounts.tokens.find(token);
  expect(await lastUsedAt()).toBe(first + 60_000);
  for (const wrong of [stored.hash, `${token}x`, token.replace('mrt_', ''), '', 'mrt_']) {
    expect(await accounts.tokens.find(wrong)).toBeNull();
  }
  await accounts.tokens.delete(stored.id);
  expect(await accounts.tokens.find(token)).toBeNull();
});

test('audit entries are kept for 400 days', async () => {
  const entry = { actor: 'a', target: null, fields: [], address: '192.0.2.1', changes: null };
  const began = world.clock.now();
  await world.accounts.audit({ ...entry, at: began, action: 'first' });
  await world.accounts.audit({ ...entry, at: began + 1, action: 'second' });
  const all = { actor: null, action: null, targetId: null, from: null, to: null, cursor: null, limit: 10 };
  const trouble = new Trouble('old entries could not be dropped', (error) => expect.unreachable(String(error)));
  const upkeep = accountUpkeep(world.accounts, world.clock, trouble);
  world.clock.advance(400 * DAY);
  await upkeep.start();
  world.clock.advance(0);
  await upkeep.stop();
  expect((await world.accounts.auditEntries(all)).items).toHaveLength(2);
  world.clock.advance(1);
  // A clock that was set forward makes nothing older.
  const { clock } = world;
  const jumped = { now: () => clock.now(), after: clock.after.bind(clock), skipped: () => DAY };
  const early = accountUpkeep(world.accounts, jumped, trouble);
  await early.start();
  world.clock.advance(0);
  await early.stop();
  expect((await world.accounts.auditEntries(all)).items).toHaveLength(2);
  await upkeep.start();
  world.clock.advance(0);
  await upkeep.stop();
  expect((await world.accounts.auditEntries(all)).items.map(({ action }) => action)).toEqual(['second']);
});

function secretOf({ link }: Accounts): string {
  return link.make().replace('/sign-in#link=', '');
}
