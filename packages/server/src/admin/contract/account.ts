import type { Role } from '../../core/account.ts';

export type { Role };

/** A person with a password of their own. */
export interface Account {
  id: string;
  /** What they sign in with: an e-mail address, unique without regard to case. */
  email: string;
  name: string;
  role: Role;
  createdAt: string;
  /** Null until they have signed in once. */
  lastSignInAt: string | null;
}

export interface AccountChange {
  name?: string;
  role?: Role;
}

/** Sign-in with the admin token, a one-time link (both admin), or an account. Exactly one of the three. */
export type SignIn = { token: string } | { link: string } | { email: string; password: string };

/** Who is signed in. `account` is null for the admin token and the one-time link. */
export interface Session {
  role: Role;
  account: Account | null;
  /** To be sent as `X-CSRF-Token` with every call that changes something. */
  csrfToken: string;
  expiresAt: string;
  /** The product's version, for the UI's foot. */
  version: string;
}

/** A session that is open, as it is listed. */
export interface ListedSession {
  id: string;
  /** Whose it is; null for one that the admin token or a one-time link opened. */
  email: string | null;
  /** What opened it. */
  way: 'password' | 'token' | 'link';
  createdAt: string;
  /** To the hour. */
  usedAt: string;
  expiresAt: string;
  /** It is the one that asks. */
  current: boolean;
}

export interface PasswordChange {
  current: string;
  /** 12 to 200 characters. */
  password: string;
}

export interface NewInvite {
  email: string;
  role: Role;
}

export interface Invite {
  id: string;
  email: string;
  role: Role;
  createdAt: string;
  /** 7 days after it was made. */
  expiresAt: string;
}

export interface CreatedInvite extends Invite {
  /** Path of the page where the invited person chooses a password; shown once: `/invite#…`. */
  link: string;
}

/** What the invite's page shows and sends; the secret is what stands behind `#` in the link. */
export interface InviteSecret {
  secret: string;
}

export interface AcceptedInvite {
  secret: string;
  name: string;
  password: string;
}

/** A token for programs: `Authorization: Bearer …`, with a role of its own. */
export interface ApiToken {
  id: string;
  name: string;
  role: Role;
  /** It changes nothing, whatever its role. */
  readOnly: boolean;
  createdAt: string;
  /** From then on it is refused; null for never. */
  expiresAt: string | null;
  lastUsedAt: string | null;
}

export interface NewApiToken {
  name: string;
  role: Role;
  readOnly?: boolean;
  /** In the future; null or absent for never. */
  expiresAt?: string | null;
}

export interface CreatedApiToken extends ApiToken {
  /** Shown once. */
  token: string;
}

/** One change, or one attempt to sign in. */
export interface AuditEntry {
  id: string;
  at: string;
  /** Who: an account's e-mail address, `admin token`, `one-time link` or `token NAME`; for a failed sign-in the address given. */
  actor: string;
  /** `source.create`, `destination.update`, `session.create`, `session.refuse`… */
  action: string;
  /** What it was done to; null where there is nothing (a sign-in). */
  target: { type: string; id: string; name: string | null } | null;
  /** Names of the fields that changed, in the order of the contract; secrets by name alone. */
  fields: string[];
  /** Address the request came from. */
  address: string;
  /** Of the target, after the change; null where it has none. */
  revision: number | null;
  /** The fields whose value is another now. */
  values: AuditValue[];
}

export interface AuditValue {
  field: string;
  /** JSON, or the first 2,000 characters of it and `…`; null where there was nothing. Both are null for a secret. */
  before: string | null;
  after: string | null;
}
