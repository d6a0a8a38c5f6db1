import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeFolder, temporaryFolder } from '../../../../../test/system/kit/leaks.ts';
import type { StoredAccount, StoredInvite, StoredSession, StoredToken } from '../../accounts/contract.ts';
import type { Replay } from '../../record/contract.ts';
import { CRM } from '../../settings/conformance.ts';
import { livePath } from './live.ts';
import { openWorld } from './test-world.ts';

/** As `millrace.db` was before it had a version. */
const BEFORE = `
CREATE TABLE sources (id TEXT PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE destinations (id TEXT PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE replays (id TEXT PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, json TEXT NOT NULL);
CREATE TABLE invites (
  id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, email TEXT NOT NULL UNIQUE, expires_at INTEGER NOT NULL, json TEXT NOT NULL);
CREATE TABLE sessions (hash TEXT PRIMARY KEY, account TEXT, expires_at INTEGER NOT NULL, json TEXT NOT NULL);
CREATE INDEX sessions_of_account ON sessions (account);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
CREATE TABLE tokens (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, json TEXT NOT NULL);
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
  target_type TEXT, target_id TEXT, target_name TEXT, fields TEXT NOT NULL, address TEXT NOT NULL);
`;

const NOW = Date.UTC(2026, 10, 21);

const ADA: StoredAccount = {
  ...{ id: 'acc_1', email: 'Ada@example.com', name: 'Ada \u0000', role: 'admin', passwordHash: 'hash' },
  ...{ createdAt: NOW, lastSignInAt: null },
};
const INVITE: StoredInvite = {
  ...{ id: 'inv_1', hash: 'of invite', email: 'Bob@example.com', role: 'viewer', createdAt: NOW, expiresAt: NOW + 9 },
};
const SESSION: StoredSession = {
  ...{ hash: 'of session', accountId: 'acc_1', way: 'password', seal: null },
  ...{ createdAt: NOW, renewedAt: NOW + 1, expiresAt: NOW + 9 },
};
const SEALED: StoredSession = { ...SESSION, hash: 'of link', accountId: null, way: 'link', seal: 'seal' };
const TOKEN: StoredToken = {
  ...{ id: 'tok_1', hash: 'of token', name: 'CI', role: 'viewer', createdAt: NOW, lastUsedAt: NOW + 5 },
  ...{ expiresAt: null, readOnly: true },
};
const REPLAY = { id: 'rep_1', status: 'running' } as Replay;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

function fill(rows: Readonly<Record<string, readonly (readonly (string | number | null)[])[]>>): void {
  const db = new DatabaseSync(livePath(folder));
  db.exec(BEFORE);
  for (const [table, each] of Object.entries(rows)) {
    for (const row of each) db.prepare(`INSERT INTO ${table} VALUES (${row.map(() => '?').join(', ')})`).run(...row);
  }
  db.close();
}

test('a folder from before its tables had a version opens with all that is in it', async () => {
  const session = (each: StoredSession) => [each.hash, each.accountId, each.expiresAt, JSON.stringify(each)];
  fill({
    destinations: [[CRM.id, JSON.stringify(CRM)]],
    replays: [[REPLAY.id, JSON.stringify(REPLAY)]],
    accounts: [[ADA.id, 'ada@example.com', JSON.stringify(ADA)]],
    invites: [[INVITE.id, INVITE.hash, 'bob@example.com', INVITE.expiresAt, JSON.stringify(INVITE)]],
    sessions: [session(SESSION), session(SEALED)],
    tokens: [[TOKEN.id, TOKEN.hash, JSON.stringify(TOKEN)]],
    audit: [[7, NOW, 'ada@example.com', 'source.create', null, null, null, '["name"]', '192.0.2.1']],
  });
  const world = await openWorld({ dataDir: folder });
  const { accounts, settings, deliveries } = world;
  expect(await settings.load()).toEqual({ sources: [], destinations: [CRM] });
  expect(await deliveries.replays()).toEqual([REPLAY]);
  expect(await accounts.accountByEmail(ADA.email)).toEqual(ADA);
  expect(await accounts.invites(NOW)).toEqual([INVITE]);
  expect(await accounts.session(SESSION.hash, NOW)).toEqual({ session: SESSION, account: ADA });
  expect(await accounts.session(SEALED.hash, NOW)).toEqual({ session: SEALED, account: null });
  expect(await accounts.tokens()).toEqual([TOKEN]);
  const query = { actor: null, action: null, targetId: null, from: null, to: null, cursor: null, limit: 9 };
  expect((await accounts.auditEntries(query)).items).toMatchObject([{ id: '7', fields: ['name'], changes: null }]);
  await world.close();
});

test('a folder that a newer version has used is refused', async () => {
  fill({});
  const db = new DatabaseSync(livePath(folder));
  db.exec('PRAGMA user_version = 999');
  db.close();
  await expect(openWorld({ dataDir: folder })).rejects.toThrow('A newer version of Millrace has used it');
});
