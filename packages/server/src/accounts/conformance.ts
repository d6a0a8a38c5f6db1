import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type {
  AccountStore,
  AuditQuery,
  NewAuditEntry,
  StoredAccount,
  StoredInvite,
  StoredSession,
  StoredToken,
} from './contract.ts';

/** An implementation with an empty store, as its tests open it. */
export interface AccountWorld {
  /** The accounts. `reopen` and `crash` replace this object. */
  readonly accounts: AccountStore;
  /** Closes the store in good order and opens it again. */
  reopen(): Promise<void>;
  /** Ends as a killed process would, and opens what is left. Absent if a crash can't be made. */
  crash?(): Promise<void>;
  close(): Promise<void>;
}

const NOW = Date.UTC(2026, 10, 21);
const HOUR = 60 * 60 * 1000;

const ADA: StoredAccount = {
  id: 'acc_1',
  email: 'Ada@Example.com',
  name: 'Ada “Ünï” \u0000',
  role: 'admin',
  passwordHash: '$argon2id$v=19$m=1,t=1,p=1$c2FsdA$dGFn',
  createdAt: NOW,
  lastSignInAt: null,
};

const INVITE: StoredInvite = {
  id: 'inv_1',
  hash: 'hash-of-invite-1',
  email: 'ada@example.COM',
  role: 'viewer',
  createdAt: NOW,
  expiresAt: NOW + HOUR,
};

const SESSION: StoredSession = {
  hash: 'hash-of-session-1',
  accountId: ADA.id,
  way: 'password',
  seal: null,
  createdAt: NOW,
  renewedAt: NOW,
  expiresAt: NOW + HOUR,
};

const TOKEN: StoredToken = {
  id: 'tok_1',
  hash: 'hash-of-token-1',
  name: 'CI',
  role: 'viewer',
  createdAt: NOW,
  lastUsedAt: null,
  expiresAt: null,
  readOnly: true,
};

const ENTRY: NewAuditEntry = {
  at: NOW,
  actor: 'ada@example.com',
  action: 'source.create',
  target: { type: 'source', id: 'src_1', name: 'Web shop “Ünï”' },
  fields: ['name', 'type'],
  address: '2001:db8::1',
  changes: { revision: 2, values: [{ field: 'name', before: null, after: '"Web shop “Ünï” \\u0000"' }] },
};

const ALL: AuditQuery = { actor: null, action: null, targetId: null, from: null, to: null, cursor: null, limit: 100 };

/** The tests of what every `AccountStore` promises (accounts/contract.ts). */
export function accountConformance(name: string, open: () => Promise<AccountWorld>): void {
  describe(`${name} keeps the accounts' contract`, () => {
    let world: AccountWorld;
    let store: AccountStore;
    beforeEach(async () => {
      world = await open();
      store = world.accounts;
    });
    afterEach(() => world.close());

    /** Creates an account by accepting an invite: there is no other way. */
    async function add(account: StoredAccount): Promise<void> {
      const invite = { ...INVITE, id: `for ${account.id}`, hash: `for ${account.id}`, email: account.email };
      await store.addInvite(invite);
      expect(await store.acceptInvite(invite.id, account)).toBe(true);
    }

    const actionsOf = async (query: Partial<AuditQuery>): Promise<string[]> =>
      (await store.auditEntries({ ...ALL, ...query })).items.map(({ action }) => action);

    test('holds nothing at first', async () => {
      expect(await store.accounts()).toEqual([]);
      expect(await store.invites(NOW)).toEqual([]);
      expect(await store.tokens()).toEqual([]);
      expect(await store.auditEntries(ALL)).toEqual({ items: [], next: null });
      expect(await store.session('unknown', NOW)).toBeNull();
    });

    test('an account is found by its id and by its e-mail address in any case', async () => {
      await add(ADA);
      await add({ ...ADA, id: 'acc_0', email: 'bob@example.com', createdAt: NOW + 1 });
      expect((await store.accounts()).map(({ id }) => id)).toEqual(['acc_1', 'acc_0']);
      expect(await store.account('acc_1')).toEqual(ADA);
      expect(await store.accountByEmail('ADA@example.com')).toEqual(ADA);
      expect(await store.accountByEmail('ada@example.co')).toBeNull();
      expect(await store.account('acc_2')).toBeNull();
    });

    test('a change of an account leaves the rest of it', async () => {
      await add(ADA);
      const changed = { ...ADA, name: 'Ada L.', lastSignInAt: NOW + 5 };
      expect(await store.changeAccount(ADA.id, { name: 'Ada L.', lastSignInAt: NOW + 5 })).toEqual({
        before: ADA,
        after: changed,
      });
      expect(await store.account(ADA.id)).toEqual(changed);
      expect(await store.changeAccount('acc_2', { name: 'Nobody' })).toBeNull();
    });

    test('an invite is found until it expires, and one for the same address takes its place', async () => {
      await store.addInvite(INVITE);
      expect(await store.invite(INVITE.hash, NOW)).toEqual(INVITE);
      expect(await store.invite(INVITE.hash, INVITE.expiresAt)).toBeNull();
      expect(await store.invites(INVITE.expiresAt)).toEqual([]);
      const second = { ...INVITE, id: 'inv_2', hash: 'hash-of-invite-2', email: 'ADA@example.com' };
      await store.addInvite(second);
      expect(await store.invites(NOW)).toEqual([second]);
      expect(await store.invite(INVITE.hash, NOW)).toBeNull();
      expect(await store.deleteInvite(second.id)).toBe(true);
      expect(await store.deleteInvite(second.id)).toBe(false);
    });

    test('an invite becomes one account, once', async () => {
      await store.addInvite(INVITE);
      const answers = await Promise.all([
        store.acceptInvite(INVITE.id, ADA),
        store.acceptInvite(INVITE.id, { ...ADA, id: 'acc_2' }),
      ]);
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await store.accounts()).toHaveLength(1);
      expect(await store.invites(NOW)).toEqual([]);
    });

    test('an invite that expired, or whose address has an account, changes nothing', async () => {
      await store.addInvite(INVITE);
      expect(await store.acceptInvite(INVITE.id, { ...ADA, createdAt: INVITE.expiresAt })).toBe(false);
      expect(await store.accounts()).toEqual([]);
      await add({ ...ADA, id: 'acc_9' });
      await store.addInvite(INVITE);
      expect(await store.acceptInvite(INVITE.id, ADA)).toBe(false);
      expect(await store.invites(NOW)).toEqual([INVITE]);
    });

    test('a session brings its account of the moment, and lives until it expires', async () => {
      await add(ADA);
      await store.addSession(SESSION);
      expect(await store.session(SESSION.hash, NOW)).toEqual({ session: SESSION, account: ADA });
      const changed = await store.changeAccount(ADA.id, { role: 'viewer' });
      expect(await store.session(SESSION.hash, NOW)).toEqual({ session: SESSION, account: changed?.after });
      expect(await store.session(SESSION.hash, SESSION.expiresAt)).toBeNull();
      await store.renewSession(SESSION.hash, { renewedAt: NOW + 5, expiresAt: NOW + 2 * HOUR });
      expect((await store.session(SESSION.hash, SESSION.expiresAt))?.session).toEqual({
        ...SESSION,
        renewedAt: NOW + 5,
        expiresAt: NOW + 2 * HOUR,
      });
      await store.deleteSession(SESSION.hash);
      expect(await store.session(SESSION.hash, NOW)).toBeNull();
    });

    test('the sessions that live are listed', async () => {
      await add(ADA);
      const other: StoredSession = { ...SESSION, hash: 'other', accountId: null, way: 'link', seal: 'seal' };
      const ended: StoredSession = { ...SESSION, hash: 'ended', expiresAt: NOW };
      for (const session of [SESSION, other, ended]) await store.addSession(session);
      const listed = await store.sessions(NOW);
      expect(listed.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))).toEqual([SESSION, other]);
    });

    test('a session without an account is kept whole', async () => {
      const session: StoredSession = { ...SESSION, accountId: null, way: 'token', seal: 'seal' };
      await store.addSession(session);
      expect(await store.session(session.hash, NOW)).toEqual({ session, account: null });
    });

    test('with a new password the other sessions of the account end, those of others stay', async () => {
      await add(ADA);
      await add({ ...ADA, id: 'acc_2', email: 'bob@example.com' });
      await store.addSession(SESSION);
      await store.addSession({ ...SESSION, hash: 'second' });
      await store.addSession({ ...SESSION, hash: 'of Bob', accountId: 'acc_2' });
      const hash = { before: ADA.passwordHash, after: 'new hash' };
      expect(await store.changePassword(ADA.id, hash, 'second')).toBe(true);
      expect(await store.changePassword(ADA.id, { ...hash, after: 'another' }, SESSION.hash)).toBe(false);
      expect(await store.account(ADA.id)).toEqual({ ...ADA, passwordHash: 'new hash' });
      const live = await Promise.all([SESSION.hash, 'second', 'of Bob'].map((hash) => store.session(hash, NOW)));
      expect(live.map((found) => found !== null)).toEqual([false, true, true]);
    });

    test('an account takes its sessions with it', async () => {
      await add(ADA);
      await store.addSession(SESSION);
      expect(await store.deleteAccount(ADA.id)).toBe(true);
      expect(await store.deleteAccount(ADA.id)).toBe(false);
      expect(await store.session(SESSION.hash, NOW)).toBeNull();
      await add({ ...ADA, id: 'acc_2' });
    });

    test('a token is found by its hash, remembers its use and is gone when deleted', async () => {
      await store.addToken(TOKEN);
      await store.addToken({ ...TOKEN, id: 'tok_0', hash: 'hash-of-token-0', createdAt: NOW + 1 });
      expect((await store.tokens()).map(({ id }) => id)).toEqual(['tok_1', 'tok_0']);
      await store.noteTokenUse(TOKEN.id, NOW + 5);
      expect(await store.token(TOKEN.hash)).toEqual({ ...TOKEN, lastUsedAt: NOW + 5 });
      expect(await store.deleteToken(TOKEN.id)).toBe(true);
      expect(await store.deleteToken(TOKEN.id)).toBe(false);
      expect(await store.token(TOKEN.hash)).toBeNull();
    });

    test('audit entries come back whole, newest first', async () => {
      const refused: NewAuditEntry = {
        ...ENTRY,
        at: NOW + 1,
        action: 'session.refuse',
        target: null,
        fields: [],
        changes: null,
      };
      await store.audit(ENTRY);
      await store.audit(refused);
      await store.audit({ ...ENTRY, action: 'source.update', target: { type: 'source', id: 'src_1', name: null } });
      const { items, next } = await store.auditEntries(ALL);
      expect(next).toBeNull();
      expect(items.map(({ id, ...entry }) => entry)).toEqual([
        refused,
        { ...ENTRY, action: 'source.update', target: { type: 'source', id: 'src_1', name: null } },
        ENTRY,
      ]);
      expect(new Set(items.map(({ id }) => id)).size).toBe(3);
    });

    test('audit entries are searched by actor, by the beginning of the action and by time', async () => {
      await store.audit(ENTRY);
      await store.audit({ ...ENTRY, at: NOW + 10, actor: 'admin token', action: 'source.delete' });
      await store.audit({ ...ENTRY, at: NOW + 20, action: 'sources_%.x' });
      expect(await actionsOf({ actor: 'admin token' })).toEqual(['source.delete']);
      expect(await actionsOf({ action: 'source.' })).toEqual(['source.delete', 'source.create']);
      expect(await actionsOf({ action: '%' })).toEqual([]);
      await store.audit({ ...ENTRY, action: 'other', target: { type: 'source', id: 'src_2', name: null } });
      expect(await actionsOf({ targetId: 'src_2' })).toEqual(['other']);
      expect(await actionsOf({ from: NOW + 10, to: NOW + 20 })).toEqual(['source.delete']);
      expect(await actionsOf({ actor: ENTRY.actor, from: NOW + 1 })).toEqual(['sources_%.x']);
    });

    test('pages of audit entries follow one another, those of one moment too', async () => {
      const wanted: string[] = [];
      for (let n = 0; n < 7; n++) {
        await store.audit({ ...ENTRY, at: NOW + (n >> 1), action: `a.${n}` });
        wanted.unshift(`a.${n}`);
      }
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await store.auditEntries({ ...ALL, cursor, limit: 3 });
        seen.push(...page.items.map(({ action }) => action));
        cursor = page.next;
      } while (cursor !== null);
      expect(seen).toEqual(wanted);
      expect((await store.auditEntries({ ...ALL, limit: 7 })).next).toBeNull();
    });

    test('what is over is let go of, the rest stays', async () => {
      await add(ADA);
      await store.addSession(SESSION);
      await store.addSession({ ...SESSION, hash: 'longer', expiresAt: NOW + 2 * HOUR });
      await store.addInvite({ ...INVITE, email: 'eve@example.com' });
      await store.addInvite({ ...INVITE, id: 'inv_2', hash: 'two', email: 'b@x', expiresAt: NOW + 2 * HOUR });
      await store.audit(ENTRY);
      await store.audit({ ...ENTRY, at: NOW + 1, action: 'kept' });
      await store.sweep(NOW + HOUR, NOW + 1);
      // Asked with a time before the expiry: so a null answer means deleted, not expired.
      expect(await store.session(SESSION.hash, NOW)).toBeNull();
      expect(await store.session('longer', NOW)).not.toBeNull();
      expect((await store.invites(NOW)).map(({ id }) => id)).toEqual(['inv_2']);
      expect(await actionsOf({})).toEqual(['kept']);
      expect(await store.accounts()).toEqual([ADA]);
    });

    test('has made each change durable when its promise resolves', async () => {
      await add(ADA);
      await store.addSession(SESSION);
      await store.addToken(TOKEN);
      await store.audit(ENTRY);
      await world.reopen();
      store = world.accounts;
      expect(await store.session(SESSION.hash, NOW)).toEqual({ session: SESSION, account: ADA });
      expect(await store.tokens()).toEqual([TOKEN]);
      await store.deleteSession(SESSION.hash);
      await store.audit({ ...ENTRY, action: 'session.delete' });
      await world.crash?.();
      store = world.accounts;
      expect(await store.session(SESSION.hash, NOW)).toBeNull();
      expect(await actionsOf({})).toEqual(['session.delete', 'source.create']);
    });
  });
}
