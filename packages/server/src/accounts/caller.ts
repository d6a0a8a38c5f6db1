import type { Role } from '../core/account.ts';
import type { StoredAccount, StoredSession } from './contract.ts';

/** The sender of a request, found by its token or session. */
export interface Caller {
  readonly role: Role;
  /** The caller's name in the audit log: an e-mail address, `admin token`, `one-time link` or `token NAME`. */
  readonly actor: string;
  /** Null for a caller with a token or a one-time link. */
  readonly account: StoredAccount | null;
  /** Null for a caller with a token in the Authorization header. */
  readonly session: OpenSession | null;
  /** Hash of the API token; null for every other caller. */
  readonly tokenHash: string | null;
  /** The caller may only read, even if the role may change things. */
  readonly readOnly: boolean;
}

/** A session with its secret, as its owner has it. */
export interface OpenSession extends StoredSession {
  /** The value of the cookie. */
  readonly secret: string;
  readonly csrfToken: string;
}
