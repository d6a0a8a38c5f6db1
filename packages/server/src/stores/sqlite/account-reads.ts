import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type {
  AuditEntry,
  AuditPage,
  AuditQuery,
  SessionWithAccount,
  StoredAccount,
  StoredInvite,
  StoredSession,
  StoredToken,
} from '../../accounts/contract.ts';
import { emailKey } from '../../core/account.ts';

/** The part of a reader that knows accounts; see AccountStore for what each method promises. */
export class AccountReads {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  accounts(): StoredAccount[] {
    return this.#all<StoredAccount>('SELECT json FROM accounts').sort(byAge);
  }

  account(id: string): StoredAccount | null {
    return this.#one('SELECT json FROM accounts WHERE id = ?', id);
  }

  accountByEmail(email: string): StoredAccount | null {
    return this.#one('SELECT json FROM accounts WHERE email = ?', emailKey(email));
  }

  invites(now: number): StoredInvite[] {
    return this.#all<StoredInvite>('SELECT json FROM invites WHERE expires_at > ?', now).sort(byAge);
  }

  invite(hash: string, now: number): StoredInvite | null {
    return this.#one('SELECT json FROM invites WHERE hash = ? AND expires_at > ?', hash, now);
  }

  session(hash: string, now: number): SessionWithAccount | null {
    const session = this.#one<StoredSession>('SELECT json FROM sessions WHERE hash = ? AND expires_at > ?', hash, now);
    if (session === null) return null;
    const account = session.accountId === null ? null : this.account(session.accountId);
    // Its account was deleted between the two reads.
    return session.accountId !== null && account === null ? null : { session, account };
  }

  tokens(): StoredToken[] {
    return this.#all<StoredToken>('SELECT json FROM tokens').sort(byAge);
  }

  token(hash: string): StoredToken | null {
    return this.#one('SELECT json FROM tokens WHERE hash = ?', hash);
  }

  /** Ordered by (at, id), descending; the cursor is the last pair of the page before. */
  auditEntries({ actor, action, from, to, cursor, limit }: AuditQuery): AuditPage {
    const wheres: string[] = [];
    const args: SQLInputValue[] = [];
    const where = (sql: string, ...values: SQLInputValue[]): void => {
      wheres.push(sql);
      args.push(...values);
    };
    if (actor !== null) where('actor = ?', actor);
    if (action !== null) where('substr(action, 1, length(?)) = ?', action, action);
    if (from !== null) where('at >= ?', from);
    if (to !== null) where('at < ?', to);
    if (cursor !== null) {
      const [lastAt, lastId] = cursor.split('-').map(Number);
      where('(at, id) < (?, ?)', lastAt ?? 0, lastId ?? 0);
    }
    const condition = wheres.length === 0 ? '' : `WHERE ${wheres.join(' AND ')}`;
    const rows = this.#db
      .prepare(`SELECT * FROM audit ${condition} ORDER BY at DESC, id DESC LIMIT ?`)
      .all(...args, limit + 1);
    const items = rows.slice(0, limit).map(auditEntry);
    const last = items.at(-1);
    return { items, next: last && rows.length > limit ? `${last.at}-${last.id}` : null };
  }

  #all<T>(sql: string, ...args: SQLInputValue[]): T[] {
    return this.#db
      .prepare(sql)
      .all(...args)
      .map((row) => JSON.parse(String(row['json'])) as T);
  }

  #one<T>(sql: string, ...args: SQLInputValue[]): T | null {
    return this.#all<T>(sql, ...args)[0] ?? null;
  }
}

function byAge(a: { createdAt: number; id: string }, b: { createdAt: number; id: string }): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

function auditEntry(row: Record<string, SQLOutputValue>): AuditEntry {
  const type = row['target_type'];
  return {
    id: String(row['id']),
    at: Number(row['at']),
    actor: String(row['actor']),
    action: String(row['action']),
    target:
      typeof type === 'string'
        ? { type, id: String(row['target_id']), name: row['target_name'] === null ? null : String(row['target_name']) }
        : null,
    fields: JSON.parse(String(row['fields'])) as string[],
    address: String(row['address']),
  };
}
