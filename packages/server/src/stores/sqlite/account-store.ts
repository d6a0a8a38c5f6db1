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
import type { Calls, Thread } from '../../threads/thread.ts';
import type { AccountReads } from './account-reads.ts';
import type { AccountWrites } from './account-writes.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/**
 * Accounts in `millrace.db`. Reads go to the thread of people's queries: nobody who knocks with wrong secrets costs the
 * writer anything.
 */
export class SqliteAccountStore implements AccountStore {
  readonly #writer: Calls<AccountWrites>;
  readonly #reader: Calls<AccountReads>;

  constructor(writer: Thread<Writer>, queryReader: Thread<Reader>) {
    this.#writer = writer.part('accounts');
    this.#reader = queryReader.part('accounts');
  }

  accounts(): Promise<readonly StoredAccount[]> {
    return this.#reader.call('accounts', []);
  }

  account(id: string): Promise<StoredAccount | null> {
    return this.#reader.call('account', [id]);
  }

  accountByEmail(email: string): Promise<StoredAccount | null> {
    return this.#reader.call('accountByEmail', [email]);
  }

  changeAccount(id: string, change: AccountChange): Promise<StoredAccount | null> {
    return this.#writer.call('changeAccount', [id, change]);
  }

  deleteAccount(id: string): Promise<boolean> {
    return this.#writer.call('deleteAccount', [id]);
  }

  invites(now: number): Promise<readonly StoredInvite[]> {
    return this.#reader.call('invites', [now]);
  }

  invite(hash: string, now: number): Promise<StoredInvite | null> {
    return this.#reader.call('invite', [hash, now]);
  }

  addInvite(invite: StoredInvite): Promise<void> {
    return this.#writer.call('addInvite', [invite]);
  }

  deleteInvite(id: string): Promise<boolean> {
    return this.#writer.call('deleteInvite', [id]);
  }

  acceptInvite(inviteId: string, account: StoredAccount): Promise<boolean> {
    return this.#writer.call('acceptInvite', [inviteId, account]);
  }

  addSession(session: StoredSession): Promise<void> {
    return this.#writer.call('addSession', [session]);
  }

  session(hash: string, now: number): Promise<SessionWithAccount | null> {
    return this.#reader.call('session', [hash, now]);
  }

  sessions(now: number): Promise<readonly StoredSession[]> {
    return this.#reader.call('sessions', [now]);
  }

  renewSession(hash: string, renewal: Pick<StoredSession, 'renewedAt' | 'expiresAt'>): Promise<void> {
    return this.#writer.call('renewSession', [hash, renewal]);
  }

  deleteSession(hash: string): Promise<void> {
    return this.#writer.call('deleteSession', [hash]);
  }

  changePassword(accountId: string, passwordHash: string, keptSession: string): Promise<void> {
    return this.#writer.call('changePassword', [accountId, passwordHash, keptSession]);
  }

  tokens(): Promise<readonly StoredToken[]> {
    return this.#reader.call('tokens', []);
  }

  token(hash: string): Promise<StoredToken | null> {
    return this.#reader.call('token', [hash]);
  }

  addToken(token: StoredToken): Promise<void> {
    return this.#writer.call('addToken', [token]);
  }

  noteTokenUse(id: string, at: number): Promise<void> {
    return this.#writer.call('noteTokenUse', [id, at]);
  }

  deleteToken(id: string): Promise<boolean> {
    return this.#writer.call('deleteToken', [id]);
  }

  audit(entry: NewAuditEntry): Promise<void> {
    return this.#writer.call('audit', [entry]);
  }

  auditEntries(query: AuditQuery): Promise<AuditPage> {
    return this.#reader.call('auditEntries', [query]);
  }

  sweep(now: number, auditFrom: number): Promise<void> {
    return this.#writer.call('sweep', [now, auditFrom]);
  }
}
