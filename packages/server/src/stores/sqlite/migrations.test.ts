import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeFolder, temporaryFolder } from '../../../../../test/system/kit/leaks.ts';
import type { StoredAccount, StoredInvite, StoredSession, StoredToken } from '../../accounts/contract.ts';
import { sampleEvent } from '../../log/conformance.ts';
import type { Replay } from '../../record/contract.ts';
import { CRM } from '../../settings/conformance.ts';
import { livePath } from './live.ts';
import { packCounts } from './stats-functions.ts';
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
CREATE TABLE regulations (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, json TEXT NOT NULL);
CREATE TABLE regulation_subjects (
  regulation TEXT NOT NULL, place INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (regulation, place));
CREATE TABLE suppressions (user_id TEXT PRIMARY KEY, since INTEGER NOT NULL);
CREATE TABLE rejections (
  id TEXT PRIMARY KEY, source TEXT NOT NULL, count INTEGER NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL,
  json TEXT NOT NULL);
CREATE TABLE names (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE stats (
  subject INTEGER NOT NULL, step INTEGER NOT NULL, at INTEGER NOT NULL,
  accepted INTEGER NOT NULL, rejected INTEGER NOT NULL, processed INTEGER NOT NULL, failed INTEGER NOT NULL,
  filtered INTEGER NOT NULL, retried INTEGER NOT NULL, latency BLOB NOT NULL, PRIMARY KEY (subject, step, at)) WITHOUT ROWID;
CREATE TABLE stats_last (subject INTEGER PRIMARY KEY, at INTEGER NOT NULL);
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

function fill(rows: Readonly<Record<string, readonly (readonly SQLInputValue[])[]>>): void {
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
    regulations: [['reg_1', NOW, '{"id":"reg_1","createdAt":1}']],
    regulation_subjects: [['reg_1', 0, '{"place":0,"userId":"u","sources":[]}']],
    suppressions: [['u', NOW]],
    rejections: [['id', 'src_1', 3, 1, 2, '{"code":"invalid_json"}']],
    names: [[1, 'src_1']],
    stats: [[1, 60_000, NOW, 4, 0, 0, 0, 0, 0, packCounts(Uint32Array.of(0, 7))]],
    stats_last: [[1, NOW]],
  });
  const world = await openWorld({ dataDir: folder });
  const { accounts, settings, deliveries, regulations, rejections, stats } = world;
  expect(await settings.load()).toEqual({ sources: [], destinations: [CRM] });
  expect(await deliveries.replays()).toEqual([REPLAY]);
  expect(await accounts.accountByEmail(ADA.email)).toEqual(ADA);
  expect(await accounts.invites(NOW)).toEqual([INVITE]);
  expect(await accounts.session(SESSION.hash, NOW)).toEqual({ session: SESSION, account: ADA });
  expect(await accounts.session(SEALED.hash, NOW)).toEqual({ session: SEALED, account: null });
  expect(await accounts.tokens()).toEqual([TOKEN]);
  const query = { actor: null, action: null, targetId: null, from: null, to: null, cursor: null, limit: 9 };
  expect((await accounts.auditEntries(query)).items).toMatchObject([{ id: '7', fields: ['name'], changes: null }]);
  expect(await regulations.regulations()).toMatchObject([{ id: 'reg_1' }]);
  expect(await regulations.subjects('reg_1', 0, 9)).toEqual([{ place: 0, userId: 'u', sources: [] }]);
  expect(await regulations.suppressions()).toEqual([{ userId: 'u', since: NOW }]);
  expect(await regulations.lift('u')).toBe(true);
  expect(await rejections.groups('src_1')).toEqual([
    { code: 'invalid_json', sourceId: 'src_1', count: 3, firstAt: 1, lastAt: 2 },
  ]);
  const totals = await stats.totals(['src_1'], NOW, NOW + 60_000);
  expect(totals.get('src_1')).toMatchObject({ accepted: 4, attempts: new Map() });
  expect(totals.get('src_1')?.latency[1]).toBe(7);
  expect(await stats.last(['src_1'])).toEqual(new Map([['src_1', { lastAt: NOW, triedAt: null }]]));
  await world.close();
});

test('a folder of the version before opens too', async () => {
  const made = await openWorld({ dataDir: folder });
  await made.log.append([sampleEvent('s', 'm1')]);
  await made.stop();
  const db = new DatabaseSync(livePath(folder));
  db.exec('DROP TABLE expired; PRAGMA user_version = 4');
  db.close();
  await made.start();
  expect(await made.log.find('m1', ['s'])).toBeDefined();
  expect(await made.retention.expire(made.clock.now())).toBe(0);
  await made.close();
});

test('a folder that a newer version has used is refused', async () => {
  fill({});
  const db = new DatabaseSync(livePath(folder));
  db.exec('PRAGMA user_version = 999');
  db.close();
  await expect(openWorld({ dataDir: folder })).rejects.toThrow('A newer version of Millrace has used it');
});
