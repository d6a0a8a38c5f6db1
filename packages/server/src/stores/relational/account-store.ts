import type {
  AccountChange,
  AccountStore,
  AuditPage,
  AuditQuery,
  NewAuditEntry,
  SessionWithAccount,
  StoredAccount,
  StoredInvite,
  StoredSession,
  StoredToken,
} from '../../accounts/contract.ts';
import { emailKey } from '../../core/account.ts';
import { addAuditEntry, searchAudit } from './audit.ts';
import { type DocumentRow, readDocuments } from './documents.ts';
import { isAny, json, type Sql, type Statement, sql, takesEffect } from './sql.ts';

/**
 * Accounts: documents with the columns they are found by beside them. `email` is `emailKey` of the address. See
 * accounts/contract.ts for what each method promises.
 */
export class RelationalAccountStore implements AccountStore {
  readonly #sql: Sql;

  constructor(database: Sql) {
    this.#sql = database;
  }

  accounts(): Promise<readonly StoredAccount[]> {
    return readDocuments(this.#sql, sql`SELECT document FROM accounts ORDER BY created_at, id`);
  }

  account(id: string): Promise<StoredAccount | null> {
    return this.#document(sql`SELECT document FROM accounts WHERE id = ${id}`);
  }

  accountByEmail(email: string): Promise<StoredAccount | null> {
    return this.#document(sql`SELECT document FROM accounts WHERE email = ${emailKey(email)}`);
  }

  changeAccount(id: string, change: AccountChange): Promise<StoredAccount | null> {
    return this.#change(id, change);
  }

  async deleteAccount(id: string): Promise<boolean> {
    const [, deleted] = await this.#sql.write([
      sql`DELETE FROM sessions WHERE account = ${id}`,
      sql`DELETE FROM accounts WHERE id = ${id} RETURNING id`,
    ]);
    return isAny(deleted);
  }

  invites(now: number): Promise<readonly StoredInvite[]> {
    return readDocuments(
      this.#sql,
      sql`SELECT document FROM invites WHERE expires_at > ${now} ORDER BY created_at, id`,
    );
  }

  invite(hash: string, now: number): Promise<StoredInvite | null> {
    return this.#document(sql`SELECT document FROM invites WHERE hash = ${hash} AND expires_at > ${now}`);
  }

  async addInvite(invite: StoredInvite): Promise<void> {
    const { id, hash, email, createdAt, expiresAt } = invite;
    await this.#sql.write([
      sql`INSERT INTO invites (id, hash, email, created_at, expires_at, document)
        VALUES (${id}, ${hash}, ${emailKey(email)}, ${createdAt}, ${expiresAt}, ${json(invite)})
        ON CONFLICT (email) DO UPDATE SET id = excluded.id, hash = excluded.hash, created_at = excluded.created_at,
          expires_at = excluded.expires_at, document = excluded.document`,
    ]);
  }

  deleteInvite(id: string): Promise<boolean> {
    return takesEffect(this.#sql, sql`DELETE FROM invites WHERE id = ${id} RETURNING id`);
  }

  /** Of two that take the same invite one has the address first, and the other one then makes nothing. */
  async acceptInvite(inviteId: string, account: StoredAccount): Promise<boolean> {
    const { id, email, createdAt } = account;
    const [made] = await this.#sql.write([
      sql`INSERT INTO accounts (id, email, created_at, document)
        SELECT ${id}, email, ${createdAt}, ${json(account)} FROM invites
        WHERE id = ${inviteId} AND email = ${emailKey(email)} AND expires_at > ${createdAt}
        ON CONFLICT DO NOTHING RETURNING id`,
      sql`DELETE FROM invites WHERE id = ${inviteId} AND EXISTS (SELECT 1 FROM accounts WHERE id = ${id})`,
    ]);
    return isAny(made);
  }

  async addSession({ hash, accountId, way, seal, createdAt, renewedAt, expiresAt }: StoredSession): Promise<void> {
    await this.#sql.write([
      sql`INSERT INTO sessions (hash, account, way, seal, created_at, renewed_at, expires_at)
        VALUES (${hash}, ${accountId}, ${way}, ${seal}, ${createdAt}, ${renewedAt}, ${expiresAt})`,
    ]);
  }

  async session(hash: string, now: number): Promise<SessionWithAccount | null> {
    const [row] = await this.#sql.read<SessionRow & { readonly document: string | null }>(
      sql`SELECT s.*, a.document FROM sessions s LEFT JOIN accounts a ON a.id = s.account
        WHERE s.hash = ${hash} AND s.expires_at > ${now} AND (s.account IS NULL OR a.id IS NOT NULL)`,
    );
    if (!row) return null;
    return {
      session: toSession(row),
      account: row.document === null ? null : (JSON.parse(row.document) as StoredAccount),
    };
  }

  async sessions(now: number): Promise<readonly StoredSession[]> {
    const rows = await this.#sql.read<SessionRow>(sql`SELECT * FROM sessions WHERE expires_at > ${now}`);
    return rows.map(toSession);
  }

  async renewSession(hash: string, renewal: Pick<StoredSession, 'renewedAt' | 'expiresAt'>): Promise<void> {
    const { renewedAt, expiresAt } = renewal;
    await this.#sql.write([
      sql`UPDATE sessions SET renewed_at = ${renewedAt}, expires_at = ${expiresAt} WHERE hash = ${hash}`,
    ]);
  }

  async deleteSession(hash: string): Promise<void> {
    await this.#sql.write([sql`DELETE FROM sessions WHERE hash = ${hash}`]);
  }

  async changePassword(accountId: string, passwordHash: string, keptSession: string): Promise<void> {
    await this.#change(
      accountId,
      { passwordHash },
      (isChanged) =>
        sql`DELETE FROM sessions WHERE account = ${accountId} AND hash <> ${keptSession} AND EXISTS (${isChanged})`,
    );
  }

  async tokens(): Promise<readonly StoredToken[]> {
    const rows = await this.#sql.read<TokenRow>(sql`SELECT * FROM tokens ORDER BY created_at, id`);
    return rows.map(toToken);
  }

  async token(hash: string): Promise<StoredToken | null> {
    const [row] = await this.#sql.read<TokenRow>(sql`SELECT * FROM tokens WHERE hash = ${hash}`);
    return row ? toToken(row) : null;
  }

  async addToken(token: StoredToken): Promise<void> {
    const { id, hash, createdAt, lastUsedAt } = token;
    await this.#sql.write([
      sql`INSERT INTO tokens (id, hash, created_at, last_used_at, document)
        VALUES (${id}, ${hash}, ${createdAt}, ${lastUsedAt}, ${json(token)})`,
    ]);
  }

  async noteTokenUse(id: string, at: number): Promise<void> {
    await this.#sql.write([sql`UPDATE tokens SET last_used_at = ${at} WHERE id = ${id}`]);
  }

  deleteToken(id: string): Promise<boolean> {
    return takesEffect(this.#sql, sql`DELETE FROM tokens WHERE id = ${id} RETURNING id`);
  }

  audit(entry: NewAuditEntry): Promise<void> {
    return addAuditEntry(this.#sql, entry);
  }

  auditEntries(query: AuditQuery): Promise<AuditPage> {
    return searchAudit(this.#sql, query);
  }

  async sweep(now: number, auditFrom: number): Promise<void> {
    await this.#sql.write([
      sql`DELETE FROM sessions WHERE expires_at <= ${now}`,
      sql`DELETE FROM invites WHERE expires_at <= ${now}`,
      sql`DELETE FROM audit WHERE at < ${auditFrom}`,
    ]);
  }

  /** Begins again when another change came between. `also` runs with it, and holds where its argument selects something. */
  async #change(
    id: string,
    change: Partial<StoredAccount>,
    also?: (isChanged: Statement) => Statement,
  ): Promise<StoredAccount | null> {
    for (;;) {
      const [before] = await this.#sql.read<DocumentRow>(sql`SELECT document FROM accounts WHERE id = ${id}`);
      if (!before) return null;
      const account: StoredAccount = { ...(JSON.parse(before.document) as StoredAccount), ...change };
      const isChanged = sql`SELECT id FROM accounts WHERE id = ${id} AND document = ${json(account)}`;
      const [changed] = await this.#sql.write([
        sql`UPDATE accounts SET document = ${json(account)}
          WHERE id = ${id} AND document = ${{ json: before.document }} RETURNING id`,
        ...(also ? [also(isChanged)] : []),
      ]);
      if (isAny(changed)) return account;
    }
  }

  async #document<T>(statement: Statement): Promise<T | null> {
    return (await readDocuments<T>(this.#sql, statement))[0] ?? null;
  }
}

interface SessionRow {
  readonly hash: string;
  readonly account: string | null;
  readonly way: StoredSession['way'];
  readonly seal: string | null;
  readonly created_at: number;
  readonly renewed_at: number;
  readonly expires_at: number;
}

function toSession({ hash, account, way, seal, ...times }: SessionRow): StoredSession {
  const { created_at: createdAt, renewed_at: renewedAt, expires_at: expiresAt } = times;
  return { hash, accountId: account, way, seal, createdAt, renewedAt, expiresAt };
}

interface TokenRow {
  readonly document: string;
  readonly last_used_at: number | null;
}

function toToken({ document, last_used_at }: TokenRow): StoredToken {
  // Those of an older version say neither.
  return {
    ...{ expiresAt: null, readOnly: false },
    ...(JSON.parse(document) as StoredToken),
    lastUsedAt: last_used_at,
  };
}
