import type { Role } from '../core/account.ts';
import type { Changed } from '../core/revision.ts';

/**
 * Accounts, sessions, invites, tokens and the audit log. Every change is durable when its promise resolves. Every read that
 * begins later sees it, on every node. Times are milliseconds since the epoch.
 *
 * Secrets are stored as hashes: those of sessions, invites and tokens as SHA-256 in base64url, passwords as in
 * accounts/passwords.ts.
 */
export interface AccountStore {
  /** All accounts, oldest first. */
  accounts(): Promise<readonly StoredAccount[]>;
  account(id: string): Promise<StoredAccount | null>;
  /** Finds an account by its `emailKey`. */
  accountByEmail(email: string): Promise<StoredAccount | null>;
  /** Answers the account before and after this change; null if it does not exist. */
  changeAccount(id: string, change: AccountChange): Promise<Changed<StoredAccount> | null>;
  /** Deletes the account with its sessions. Answers whether it existed. */
  deleteAccount(id: string): Promise<boolean>;

  /** The invites that have not expired, oldest first. */
  invites(now: number): Promise<readonly StoredInvite[]>;
  invite(hash: string, now: number): Promise<StoredInvite | null>;
  /** Adds an invite. It replaces an earlier invite for the same e-mail address. */
  addInvite(invite: StoredInvite): Promise<void>;
  deleteInvite(id: string): Promise<boolean>;
  /**
   * Replaces an invite by an account, in one transaction. Answers false and changes nothing if the invite has expired or does not
   * exist, or if the e-mail address has an account.
   */
  acceptInvite(inviteId: string, account: StoredAccount): Promise<boolean>;

  addSession(session: StoredSession): Promise<void>;
  /** A session, with its account if it has one. Null if it has expired or does not exist. */
  session(hash: string, now: number): Promise<SessionWithAccount | null>;
  /** The sessions that expire after `now`. */
  sessions(now: number): Promise<readonly StoredSession[]>;
  renewSession(hash: string, renewal: Pick<StoredSession, 'renewedAt' | 'expiresAt'>): Promise<void>;
  deleteSession(hash: string): Promise<void>;
  /**
   * Sets the password and ends all other sessions of the account, in one transaction. Answers false and changes nothing if the
   * password was changed meanwhile.
   */
  changePassword(
    accountId: string,
    hash: { readonly before: string; readonly after: string },
    keptSession: string,
  ): Promise<boolean>;

  /** All tokens, oldest first. */
  tokens(): Promise<readonly StoredToken[]>;
  token(hash: string): Promise<StoredToken | null>;
  addToken(token: StoredToken): Promise<void>;
  noteTokenUse(id: string, at: number): Promise<void>;
  deleteToken(id: string): Promise<boolean>;

  /** Append-only; an entry's id grows with every append. */
  audit(entry: NewAuditEntry): Promise<void>;
  /** A page of entries, newest first. */
  auditEntries(query: AuditQuery): Promise<AuditPage>;

  /** Deletes invites and sessions that expired before `now`, and audit entries older than `auditFrom`. */
  sweep(now: number, auditFrom: number): Promise<void>;
}

export interface StoredAccount {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly createdAt: number;
  readonly lastSignInAt: number | null;
}

export type AccountChange = Partial<Pick<StoredAccount, 'name' | 'role' | 'lastSignInAt'>>;

export interface StoredInvite {
  readonly id: string;
  readonly hash: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface StoredSession {
  readonly hash: string;
  /** Null if the session was opened with the admin token or a one-time link. */
  readonly accountId: string | null;
  readonly way: 'password' | 'token' | 'link';
  /** Binds a session without an account to the current admin token; null if the session has an account. */
  readonly seal: string | null;
  readonly createdAt: number;
  readonly renewedAt: number;
  readonly expiresAt: number;
}

export interface SessionWithAccount {
  readonly session: StoredSession;
  readonly account: StoredAccount | null;
}

export interface StoredToken {
  /** The token is refused from this time on; null for never. */
  readonly expiresAt: number | null;
  /** The token may only read. */
  readonly readOnly: boolean;
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

export interface NewAuditEntry {
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly target: AuditTarget | null;
  readonly fields: readonly string[];
  readonly address: string;
  /** Null if nothing stored was changed, and in entries of older versions. */
  readonly changes: AuditChanges | null;
}

/** The effect of a change on its target. */
export interface AuditChanges {
  /** Revision of the target after the change; null if the target has no revisions. */
  readonly revision: number | null;
  readonly values: readonly AuditValue[];
}

export interface AuditValue {
  readonly field: string;
  /** JSON, maybe cut at the end; null if there was no value, and for a secret. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface AuditTarget {
  readonly type: string;
  readonly id: string;
  readonly name: string | null;
}

export interface AuditEntry extends NewAuditEntry {
  readonly id: string;
}

export interface AuditQuery {
  readonly actor: string | null;
  /** Beginning of the action's name. */
  readonly action: string | null;
  /** Id of the target. */
  readonly targetId: string | null;
  /** from ≤ at < to */
  readonly from: number | null;
  readonly to: number | null;
  /** `next` of the page before this one. */
  readonly cursor: string | null;
  readonly limit: number;
}

export interface AuditPage {
  readonly items: readonly AuditEntry[];
  /**
   * Cursor of the next page; null after the last one. A rare action is searched step by step, so a page may have fewer items than
   * the limit, or none, and still a next page.
   */
  readonly next: string | null;
}
