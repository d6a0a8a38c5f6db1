import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
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
import { ROWS_PER_PAGE, type Row } from './event-rows.ts';

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

  sessions(now: number): StoredSession[] {
    return this.#all<StoredSession>('SELECT json FROM sessions WHERE expires_at > ?', now);
  }

  session(hash: string, now: number): SessionWithAccount | null {
    const session = this.#one<StoredSession>('SELECT json FROM sessions WHERE hash = ? AND expires_at > ?', hash, now);
    if (session === null) return null;
    const account = session.accountId === null ? null : this.account(session.accountId);
    // Its account was deleted between the two reads.
    return session.accountId !== null && account === null ? null : { session, account };
  }

  tokens(): StoredToken[] {
    return this.#all<StoredToken>('SELECT json FROM tokens').map(whole).sort(byAge);
  }

  token(hash: string): StoredToken | null {
    const token = this.#one<StoredToken>('SELECT json FROM tokens WHERE hash = ?', hash);
    return token && whole(token);
  }

  /**
   * Ordered by (at, id), descending; the cursor is the last pair that was looked at. An actor and bounds of time are ranges
   * of an index; actions and targets are compared row by row, piece by piece: no more rows are looked at than one page may take.
   */
  auditEntries({ actor, action, targetId, from, to, cursor, limit }: AuditQuery): AuditPage {
    const end = { at: to ?? Number.MAX_SAFE_INTEGER, id: 0 };
    const [lastAt = 0, lastId = 0] = cursor === null ? [end.at, end.id] : cursor.split('-').map(Number);
    const before = lastAt >= end.at ? end : { at: lastAt, id: lastId };
    const rows = this.#db
      .prepare(actor === null ? ENTRIES : ENTRIES_OF)
      .iterate(...(actor === null ? [] : [actor]), from ?? 0, before.at, before.id);
    const items: AuditEntry[] = [];
    let looked: Row | null = null;
    let count = 0;
    for (const row of rows) {
      if (looked !== null && (items.length >= limit || count >= ROWS_PER_PAGE)) {
        return { items, next: `${looked['at']}-${looked['id']}` };
      }
      const isMeant = targetId === null || row['target_id'] === targetId;
      if (isMeant && (action === null || String(row['action']).startsWith(action))) items.push(auditEntry(row));
      looked = row;
      count++;
    }
    return { items, next: null };
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

const ENTRIES = 'SELECT * FROM audit WHERE at >= ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC';

const ENTRIES_OF = 'SELECT * FROM audit WHERE actor = ? AND at >= ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC';

/** Those of an older version say neither when they end nor whether they only read. */
function whole(token: StoredToken): StoredToken {
  return { ...{ expiresAt: null, readOnly: false }, ...token };
}

function byAge(a: { createdAt: number; id: string }, b: { createdAt: number; id: string }): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

export function auditEntry(row: Row): AuditEntry {
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
    changes: row['changes'] === null ? null : (JSON.parse(String(row['changes'])) as AuditEntry['changes']),
  };
}
