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
import type { Database, Queries } from './database.ts';
import { toText } from './text.ts';

/**
 * Accounts in PostgreSQL: documents with the columns they are found by beside them. `email` is `emailKey` of the address.
 * See accounts/contract.ts for what it promises.
 */
export class PostgresAccountStore implements AccountStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  accounts(): Promise<readonly StoredAccount[]> {
    return this.#documents<StoredAccount>(`SELECT document FROM accounts ${OLDEST_FIRST}`);
  }

  account(id: string): Promise<StoredAccount | null> {
    return this.#document<StoredAccount>('SELECT document FROM accounts WHERE id = $1', [toText(id)]);
  }

  accountByEmail(email: string): Promise<StoredAccount | null> {
    return this.#document<StoredAccount>('SELECT document FROM accounts WHERE email = $1', [toText(emailKey(email))]);
  }

  changeAccount(id: string, change: AccountChange): Promise<StoredAccount | null> {
    return this.#database.transaction((queries) => changeAccount(queries, id, change));
  }

  async deleteAccount(id: string): Promise<boolean> {
    return this.#database.transaction(async (queries) => {
      await queries.query('DELETE FROM sessions WHERE account = $1', [toText(id)]);
      return (await queries.query('DELETE FROM accounts WHERE id = $1 RETURNING 1', [toText(id)])).length > 0;
    });
  }

  invites(now: number): Promise<readonly StoredInvite[]> {
    const sql = `SELECT document FROM invites WHERE expires_at > $1 ${OLDEST_FIRST}`;
    return this.#documents<StoredInvite>(sql, [now]);
  }

  invite(hash: string, now: number): Promise<StoredInvite | null> {
    const sql = 'SELECT document FROM invites WHERE hash = $1 AND expires_at > $2';
    return this.#document<StoredInvite>(sql, [toText(hash), now]);
  }

  async addInvite(invite: StoredInvite): Promise<void> {
    const { id, hash, email, createdAt, expiresAt } = invite;
    const values = [toText(id), toText(hash), toText(emailKey(email)), createdAt, expiresAt, JSON.stringify(invite)];
    await this.#database.query(
      `INSERT INTO invites (id, hash, email, created_at, expires_at, document) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (email) DO UPDATE SET id = excluded.id, hash = excluded.hash, created_at = excluded.created_at,
         expires_at = excluded.expires_at, document = excluded.document`,
      values,
    );
  }

  async deleteInvite(id: string): Promise<boolean> {
    return (await this.#database.query('DELETE FROM invites WHERE id = $1 RETURNING 1', [toText(id)])).length > 0;
  }

  /** Whoever deletes the invite makes the account; another one waits for that and then finds none. */
  async acceptInvite(inviteId: string, account: StoredAccount): Promise<boolean> {
    const rows = await this.#database.query(
      `WITH invite AS (DELETE FROM invites WHERE id = $1 AND expires_at > $4
         AND NOT EXISTS (SELECT FROM accounts WHERE email = $3) RETURNING id)
       INSERT INTO accounts (id, email, created_at, document) SELECT $2, $3, $4, $5 FROM invite RETURNING id`,
      [
        toText(inviteId),
        toText(account.id),
        toText(emailKey(account.email)),
        account.createdAt,
        JSON.stringify(account),
      ],
    );
    return rows.length > 0;
  }

  async addSession({ hash, accountId, way, seal, createdAt, renewedAt, expiresAt }: StoredSession): Promise<void> {
    await this.#database.query(
      `INSERT INTO sessions (hash, account, way, seal, created_at, renewed_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [hash, accountId, way, seal, createdAt, renewedAt, expiresAt],
    );
  }

  async session(hash: string, now: number): Promise<SessionWithAccount | null> {
    const [row] = await this.#database.query<SessionRow & { readonly document: string | null }>(
      `SELECT s.*, a.document FROM sessions s LEFT JOIN accounts a ON a.id = s.account
       WHERE s.hash = $1 AND s.expires_at > $2 AND (s.account IS NULL OR a.id IS NOT NULL)`,
      [toText(hash), now],
    );
    if (!row) return null;
    return {
      session: toSession(row),
      account: row.document === null ? null : (JSON.parse(row.document) as StoredAccount),
    };
  }

  async sessions(now: number): Promise<readonly StoredSession[]> {
    const rows = await this.#database.query<SessionRow>('SELECT * FROM sessions WHERE expires_at > $1', [now]);
    return rows.map(toSession);
  }

  async renewSession(hash: string, renewal: Pick<StoredSession, 'renewedAt' | 'expiresAt'>): Promise<void> {
    const sql = 'UPDATE sessions SET renewed_at = $2, expires_at = $3 WHERE hash = $1';
    await this.#database.query(sql, [toText(hash), renewal.renewedAt, renewal.expiresAt]);
  }

  async deleteSession(hash: string): Promise<void> {
    await this.#database.query('DELETE FROM sessions WHERE hash = $1', [toText(hash)]);
  }

  async changePassword(accountId: string, passwordHash: string, keptSession: string): Promise<void> {
    await this.#database.transaction(async (queries) => {
      await changeAccount(queries, accountId, { passwordHash });
      await queries.query('DELETE FROM sessions WHERE account = $1 AND hash <> $2', [toText(accountId), keptSession]);
    });
  }

  async tokens(): Promise<readonly StoredToken[]> {
    return (await this.#database.query<TokenRow>(`${TOKENS} ${OLDEST_FIRST}`)).map(toToken);
  }

  async token(hash: string): Promise<StoredToken | null> {
    const [row] = await this.#database.query<TokenRow>(`${TOKENS} WHERE hash = $1`, [toText(hash)]);
    return row ? toToken(row) : null;
  }

  async addToken(token: StoredToken): Promise<void> {
    const { id, hash, createdAt, lastUsedAt } = token;
    await this.#database.query(
      'INSERT INTO tokens (id, hash, created_at, last_used_at, document) VALUES ($1, $2, $3, $4, $5)',
      [toText(id), hash, createdAt, lastUsedAt, JSON.stringify(token)],
    );
  }

  async noteTokenUse(id: string, at: number): Promise<void> {
    await this.#database.query('UPDATE tokens SET last_used_at = $2 WHERE id = $1', [toText(id), at]);
  }

  async deleteToken(id: string): Promise<boolean> {
    return (await this.#database.query('DELETE FROM tokens WHERE id = $1 RETURNING 1', [toText(id)])).length > 0;
  }

  audit(entry: NewAuditEntry): Promise<void> {
    return addAuditEntry(this.#database, entry);
  }

  auditEntries(query: AuditQuery): Promise<AuditPage> {
    return searchAudit(this.#database, query);
  }

  async sweep(now: number, auditFrom: number): Promise<void> {
    await this.#database.query('DELETE FROM sessions WHERE expires_at <= $1', [now]);
    await this.#database.query('DELETE FROM invites WHERE expires_at <= $1', [now]);
    await this.#database.query('DELETE FROM audit WHERE at < $1', [auditFrom]);
  }

  async #documents<T>(sql: string, values: readonly unknown[] = []): Promise<T[]> {
    const rows = await this.#database.query<{ document: string }>(sql, values);
    return rows.map(({ document }) => JSON.parse(document) as T);
  }

  async #document<T>(sql: string, values: readonly unknown[]): Promise<T | null> {
    return (await this.#documents<T>(sql, values))[0] ?? null;
  }
}

const OLDEST_FIRST = 'ORDER BY created_at, id';

const TOKENS = 'SELECT document, last_used_at FROM tokens';

interface TokenRow {
  readonly document: string;
  readonly last_used_at: number | null;
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

function toToken({ document, last_used_at }: TokenRow): StoredToken {
  // Those of an older version say neither.
  return {
    ...{ expiresAt: null, readOnly: false },
    ...(JSON.parse(document) as StoredToken),
    lastUsedAt: last_used_at,
  };
}

/** Changes an account inside the caller's transaction. */
async function changeAccount(
  queries: Queries,
  id: string,
  change: Partial<StoredAccount>,
): Promise<StoredAccount | null> {
  const [row] = await queries.query<{ document: string }>('SELECT document FROM accounts WHERE id = $1 FOR UPDATE', [
    toText(id),
  ]);
  if (!row) return null;
  const account: StoredAccount = { ...(JSON.parse(row.document) as StoredAccount), ...change };
  await queries.query('UPDATE accounts SET document = $2 WHERE id = $1', [toText(id), JSON.stringify(account)]);
  return account;
}
