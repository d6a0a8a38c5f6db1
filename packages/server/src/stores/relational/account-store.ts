import type {
  AccountStore,
  SessionWithAccount,
  StoredAccount,
  StoredInvite,
  StoredSession,
  StoredToken,
} from '../../accounts/contract.ts';
import { emailKey } from '../../core/account.ts';
import type { Changed } from '../../core/revision.ts';
import { addAuditEntry, searchAudit } from './audit.ts';
import { type DocumentRow, readDocuments } from './documents.ts';
import { isAny, json, type Sql, type Statement, sql, takesEffect } from './sql.ts';

/**
 * Accounts as documents. The columns beside a document serve the searches; `email` is `emailKey` of the address.
 * accounts/contract.ts says what each method promises.
 */
export function accountStore(database: Sql): AccountStore {
  async function read<T>(statement: Statement): Promise<T | null> {
    return (await readDocuments<T>(database, statement))[0] ?? null;
  }

  async function write(...statements: Statement[]): Promise<void> {
    await database.write(statements);
  }

  /**
   * Changes an account, and begins again when another change came between. Answers null if there is no such account or `holds`
   * is false for it. `also` runs in the same batch; its argument selects a row only if the change took effect.
   */
  async function change(
    id: string,
    change: Partial<StoredAccount>,
    { holds, also }: { holds?: (now: StoredAccount) => boolean; also?: (isChanged: Statement) => Statement } = {},
  ): Promise<Changed<StoredAccount> | null> {
    for (;;) {
      const [before] = await database.read<DocumentRow>(sql`SELECT document FROM accounts WHERE id = ${id}`);
      if (!before) return null;
      const now = JSON.parse(before.document) as StoredAccount;
      if (holds?.(now) === false) return null;
      const account: StoredAccount = { ...now, ...change };
      const isChanged = sql`SELECT id FROM accounts WHERE id = ${id} AND document = ${json(account)}`;
      const [changed] = await database.write([
        sql`UPDATE accounts SET document = ${json(account)}
          WHERE id = ${id} AND document = ${{ json: before.document }} RETURNING id`,
        ...(also ? [also(isChanged)] : []),
      ]);
      if (isAny(changed)) return { before: now, after: account };
    }
  }

  return {
    accounts: () => readDocuments(database, sql`SELECT document FROM accounts ORDER BY created_at, id`),
    account: (id) => read(sql`SELECT document FROM accounts WHERE id = ${id}`),
    accountByEmail: (email) => read(sql`SELECT document FROM accounts WHERE email = ${emailKey(email)}`),
    changeAccount: (id, changes) => change(id, changes),
    async deleteAccount(id) {
      const [, deleted] = await database.write([
        sql`DELETE FROM sessions WHERE account = ${id}`,
        sql`DELETE FROM accounts WHERE id = ${id} RETURNING id`,
      ]);
      return isAny(deleted);
    },
    invites: (now) =>
      readDocuments(database, sql`SELECT document FROM invites WHERE expires_at > ${now} ORDER BY created_at, id`),
    invite: (hash, now) => read(sql`SELECT document FROM invites WHERE hash = ${hash} AND expires_at > ${now}`),
    addInvite: (invite: StoredInvite) => {
      const { id, hash, email, createdAt, expiresAt } = invite;
      return write(
        sql`INSERT INTO invites (id, hash, email, created_at, expires_at, document)
          VALUES (${id}, ${hash}, ${emailKey(email)}, ${createdAt}, ${expiresAt}, ${json(invite)})
          ON CONFLICT (email) DO UPDATE SET id = excluded.id, hash = excluded.hash, created_at = excluded.created_at,
            expires_at = excluded.expires_at, document = excluded.document`,
      );
    },
    deleteInvite: (id) => takesEffect(database, sql`DELETE FROM invites WHERE id = ${id} RETURNING id`),
    /** If two people accept the same invite, the first one gets the address. The second one creates no account. */
    async acceptInvite(inviteId, account) {
      const { id, email, createdAt } = account;
      const [made] = await database.write([
        sql`INSERT INTO accounts (id, email, created_at, document)
          SELECT ${id}, email, ${createdAt}, ${json(account)} FROM invites
          WHERE id = ${inviteId} AND email = ${emailKey(email)} AND expires_at > ${createdAt}
          ON CONFLICT DO NOTHING RETURNING id`,
        sql`DELETE FROM invites WHERE id = ${inviteId} AND EXISTS (SELECT 1 FROM accounts WHERE id = ${id})`,
      ]);
      return isAny(made);
    },
    addSession: ({ hash, accountId, way, seal, createdAt, renewedAt, expiresAt }) =>
      write(
        sql`INSERT INTO sessions (hash, account, way, seal, created_at, renewed_at, expires_at)
          VALUES (${hash}, ${accountId}, ${way}, ${seal}, ${createdAt}, ${renewedAt}, ${expiresAt})`,
      ),
    async session(hash, now): Promise<SessionWithAccount | null> {
      const [row] = await database.read<StoredSession & { readonly document: string | null }>(
        sql`SELECT ${SESSION}, a.document FROM sessions s LEFT JOIN accounts a ON a.id = s.account
          WHERE s.hash = ${hash} AND s.expires_at > ${now} AND (s.account IS NULL OR a.id IS NOT NULL)`,
      );
      if (!row) return null;
      const { document, ...session } = row;
      return { session, account: document === null ? null : (JSON.parse(document) as StoredAccount) };
    },
    sessions: (now) => database.read(sql`SELECT ${SESSION} FROM sessions s WHERE s.expires_at > ${now}`),
    renewSession: (hash, { renewedAt, expiresAt }) =>
      write(sql`UPDATE sessions SET renewed_at = ${renewedAt}, expires_at = ${expiresAt} WHERE hash = ${hash}`),
    deleteSession: (hash) => write(sql`DELETE FROM sessions WHERE hash = ${hash}`),
    async changePassword(accountId, { before, after }, keptSession) {
      const holds = ({ passwordHash }: StoredAccount): boolean => passwordHash === before;
      const also = (isChanged: Statement): Statement =>
        sql`DELETE FROM sessions WHERE account = ${accountId} AND hash <> ${keptSession} AND EXISTS (${isChanged})`;
      return (await change(accountId, { passwordHash: after }, { holds, also })) !== null;
    },
    async tokens() {
      const rows = await database.read<TokenRow>(sql`SELECT * FROM tokens ORDER BY created_at, id`);
      return rows.map(toToken);
    },
    async token(hash) {
      const [row] = await database.read<TokenRow>(sql`SELECT * FROM tokens WHERE hash = ${hash}`);
      return row ? toToken(row) : null;
    },
    addToken: (token) =>
      write(
        sql`INSERT INTO tokens (id, hash, created_at, last_used_at, document)
          VALUES (${token.id}, ${token.hash}, ${token.createdAt}, ${token.lastUsedAt}, ${json(token)})`,
      ),
    noteTokenUse: (id, at) => write(sql`UPDATE tokens SET last_used_at = ${at} WHERE id = ${id}`),
    deleteToken: (id) => takesEffect(database, sql`DELETE FROM tokens WHERE id = ${id} RETURNING id`),
    audit: (entry) => addAuditEntry(database, entry),
    auditEntries: (query) => searchAudit(database, query),
    sweep: (now, auditFrom) =>
      write(
        sql`DELETE FROM sessions WHERE expires_at <= ${now}`,
        sql`DELETE FROM invites WHERE expires_at <= ${now}`,
        sql`DELETE FROM audit WHERE at < ${auditFrom}`,
      ),
  };
}

const SESSION = sql`s.hash, s.account AS "accountId", s.way, s.seal, s.created_at AS "createdAt", s.renewed_at AS "renewedAt",
  s.expires_at AS "expiresAt"`;

interface TokenRow {
  readonly document: string;
  readonly last_used_at: number | null;
}

function toToken({ document, last_used_at }: TokenRow): StoredToken {
  // Tokens of an older version have neither field.
  return {
    ...{ expiresAt: null, readOnly: false },
    ...(JSON.parse(document) as StoredToken),
    lastUsedAt: last_used_at,
  };
}
