import type { Role } from '../core/account.ts';

/**
 * Who may sign in, and who did what. Every change is durable when its promise resolves, and seen by every read that
 * begins later, on whichever node. Times are milliseconds since the epoch.
 *
 * Secrets are kept as hashes: of a session, an invite and a token the SHA-256 in base64url, of a password what
 * accounts/passwords.ts makes of it.
 */
export interface AccountStore {
  /** Oldest first. */
  accounts(): Promise<readonly StoredAccount[]>;
  account(id: string): Promise<StoredAccount | null>;
  /** By `emailKey`. */
  accountByEmail(email: string): Promise<StoredAccount | null>;
  /** Answers the account as it is then; null when there is none. */
  changeAccount(id: string, change: AccountChange): Promise<StoredAccount | null>;
  /** Deletes it with its sessions; answers whether it was there. */
  deleteAccount(id: string): Promise<boolean>;

  /** Those that have not expired, oldest first. */
  invites(now: number): Promise<readonly StoredInvite[]>;
  invite(hash: string, now: number): Promise<StoredInvite | null>;
  /** Takes the place of an invite for the same e-mail address. */
  addInvite(invite: StoredInvite): Promise<void>;
  deleteInvite(id: string): Promise<boolean>;
  /**
   * Makes an account of an invite, which is gone with it: both or neither. Answers false and changes nothing when the invite
   * has expired or is gone, or when the e-mail address has an account.
   */
  acceptInvite(inviteId: string, account: StoredAccount): Promise<boolean>;

  addSession(session: StoredSession): Promise<void>;
  /** With its account, where it has one. Null when there is none that lives. */
  session(hash: string, now: number): Promise<SessionWithAccount | null>;
  /** Those that expire after `now`. */
  sessions(now: number): Promise<readonly StoredSession[]>;
  renewSession(hash: string, renewal: Pick<StoredSession, 'renewedAt' | 'expiresAt'>): Promise<void>;
  deleteSession(hash: string): Promise<void>;
  /** Sets the password and ends all sessions of the account but one: both, or neither and false where another one was set meanwhile. */
  changePassword(
    accountId: string,
    hash: { readonly before: string; readonly after: string },
    keptSession: string,
  ): Promise<boolean>;

  /** Oldest first. */
  tokens(): Promise<readonly StoredToken[]>;
  token(hash: string): Promise<StoredToken | null>;
  addToken(token: StoredToken): Promise<void>;
  noteTokenUse(id: string, at: number): Promise<void>;
  deleteToken(id: string): Promise<boolean>;

  /** Append-only; an entry's id grows with every append. */
  audit(entry: NewAuditEntry): Promise<void>;
  /** Newest first. */
  auditEntries(query: AuditQuery): Promise<AuditPage>;

  /** Lets go of invites and sessions that expired before `now`, and of audit entries older than `auditFrom`. */
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
  /** Null: opened with the admin token or a one-time link. */
  readonly accountId: string | null;
  readonly way: 'password' | 'token' | 'link';
  /** Ties a session without an account to the admin token of then; null where there is an account. */
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
  /** From then on it is refused; null for never. */
  readonly expiresAt: number | null;
  /** It changes nothing. */
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
  /** Null where nothing that is kept was changed, and in entries of older versions. */
  readonly changes: AuditChanges | null;
}

/** What a change made of its target. */
export interface AuditChanges {
  /** Of the target, after it; null where it has none. */
  readonly revision: number | null;
  readonly values: readonly AuditValue[];
}

export interface AuditValue {
  readonly field: string;
  /** JSON, or the beginning of it; null where there was nothing, and for a secret. */
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
  /** What the action begins with. */
  readonly action: string | null;
  /** Id of the target. */
  readonly targetId: string | null;
  /** from ≤ at < to */
  readonly from: number | null;
  readonly to: number | null;
  /** `next` of the page before. */
  readonly cursor: string | null;
  readonly limit: number;
}

export interface AuditPage {
  readonly items: readonly AuditEntry[];
  /** A page may hold fewer items than its limit and still have a next one: a rare action is searched piece by piece. */
  readonly next: string | null;
}
