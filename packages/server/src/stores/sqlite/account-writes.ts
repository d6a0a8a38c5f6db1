import type { DatabaseSync } from 'node:sqlite';
import type {
  AccountChange,
  NewAuditEntry,
  StoredAccount,
  StoredInvite,
  StoredSession,
  StoredToken,
} from '../../accounts/contract.ts';
import { emailKey } from '../../core/account.ts';
import { addLater, transaction } from './database.ts';

/**
 * Who may sign in, in `millrace.db`: documents with the columns they are found by beside them. `email` is `emailKey` of the
 * address. Audit entries are columns, because they are searched, and are only ever appended and, when they are old, dropped.
 */
export const ACCOUNTS_SCHEMA = `
CREATE TABLE IF NOT EXISTS accounts (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS invites (
  id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, email TEXT NOT NULL UNIQUE, expires_at INTEGER NOT NULL, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sessions (
  hash TEXT PRIMARY KEY, account TEXT, expires_at INTEGER NOT NULL, json TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS sessions_of_account ON sessions (account);
CREATE INDEX IF NOT EXISTS sessions_by_expiry ON sessions (expires_at);
CREATE TABLE IF NOT EXISTS tokens (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
  target_type TEXT, target_id TEXT, target_name TEXT, fields TEXT NOT NULL, address TEXT NOT NULL,
  changes TEXT);
CREATE INDEX IF NOT EXISTS audit_by_time ON audit (at, id);
CREATE INDEX IF NOT EXISTS audit_by_actor ON audit (actor, at, id);
`;

/** The part of the writer that changes accounts; see AccountStore for what each method promises. */
export class AccountWrites {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    transaction(db, () => {
      db.exec(ACCOUNTS_SCHEMA);
      addLater(db, 'audit', 'changes', 'TEXT');
    });
  }

  changeAccount(id: string, change: AccountChange): StoredAccount | null {
    return this.#change(id, change);
  }

  changePassword(accountId: string, passwordHash: string, keptSession: string): void {
    transaction(this.#db, () => {
      this.#change(accountId, { passwordHash });
      this.#db.prepare('DELETE FROM sessions WHERE account = ? AND hash <> ?').run(accountId, keptSession);
    });
  }

  #change(id: string, change: Partial<StoredAccount>): StoredAccount | null {
    const row = this.#db.prepare('SELECT json FROM accounts WHERE id = ?').get(id);
    if (!row) return null;
    const account: StoredAccount = { ...(JSON.parse(String(row['json'])) as StoredAccount), ...change };
    this.#db.prepare('UPDATE accounts SET json = ? WHERE id = ?').run(JSON.stringify(account), id);
    return account;
  }

  deleteAccount(id: string): boolean {
    return transaction(this.#db, () => {
      this.#db.prepare('DELETE FROM sessions WHERE account = ?').run(id);
      return this.#db.prepare('DELETE FROM accounts WHERE id = ?').run(id).changes > 0;
    });
  }

  addInvite(invite: StoredInvite): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO invites (id, hash, email, expires_at, json) VALUES (?, ?, ?, ?, ?)')
      .run(invite.id, invite.hash, emailKey(invite.email), invite.expiresAt, JSON.stringify(invite));
  }

  deleteInvite(id: string): boolean {
    return this.#db.prepare('DELETE FROM invites WHERE id = ?').run(id).changes > 0;
  }

  acceptInvite(inviteId: string, account: StoredAccount): boolean {
    return transaction(this.#db, () => {
      const email = emailKey(account.email);
      if (this.#db.prepare('SELECT 1 FROM accounts WHERE email = ?').get(email)) return false;
      const deleted = this.#db
        .prepare('DELETE FROM invites WHERE id = ? AND expires_at > ?')
        .run(inviteId, account.createdAt);
      if (deleted.changes === 0) return false;
      this.#db
        .prepare('INSERT INTO accounts (id, email, json) VALUES (?, ?, ?)')
        .run(account.id, email, JSON.stringify(account));
      return true;
    });
  }

  addSession(session: StoredSession): void {
    this.#db
      .prepare('INSERT INTO sessions (hash, account, expires_at, json) VALUES (?, ?, ?, ?)')
      .run(session.hash, session.accountId, session.expiresAt, JSON.stringify(session));
  }

  renewSession(hash: string, renewal: Pick<StoredSession, 'renewedAt' | 'expiresAt'>): void {
    this.#db
      .prepare('UPDATE sessions SET expires_at = ?, json = json_patch(json, ?) WHERE hash = ?')
      .run(renewal.expiresAt, JSON.stringify(renewal), hash);
  }

  deleteSession(hash: string): void {
    this.#db.prepare('DELETE FROM sessions WHERE hash = ?').run(hash);
  }

  addToken(token: StoredToken): void {
    this.#db
      .prepare('INSERT INTO tokens (id, hash, json) VALUES (?, ?, ?)')
      .run(token.id, token.hash, JSON.stringify(token));
  }

  noteTokenUse(id: string, at: number): void {
    this.#db
      .prepare('UPDATE tokens SET json = json_patch(json, ?) WHERE id = ?')
      .run(JSON.stringify({ lastUsedAt: at }), id);
  }

  deleteToken(id: string): boolean {
    return this.#db.prepare('DELETE FROM tokens WHERE id = ?').run(id).changes > 0;
  }

  audit({ at, actor, action, target, fields, address, changes }: NewAuditEntry): void {
    this.#db
      .prepare(
        `INSERT INTO audit (at, actor, action, target_type, target_id, target_name, fields, address, changes)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        at,
        actor,
        action,
        target?.type ?? null,
        target?.id ?? null,
        target?.name ?? null,
        JSON.stringify(fields),
        address,
        changes && JSON.stringify(changes),
      );
  }

  sweep(now: number, auditFrom: number): void {
    transaction(this.#db, () => {
      this.#db.prepare('DELETE FROM sessions WHERE expires_at <= ?').run(now);
      this.#db.prepare('DELETE FROM invites WHERE expires_at <= ?').run(now);
      this.#db.prepare('DELETE FROM audit WHERE at < ?').run(auditFrom);
    });
  }
}
