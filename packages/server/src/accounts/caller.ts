import type { Role } from '../core/account.ts';
import type { StoredAccount, StoredSession } from './contract.ts';

/** Who makes a request, as it was found out from a token or a session. */
export interface Caller {
  readonly role: Role;
  /** As the audit log names them: an e-mail address, `admin token`, `one-time link` or `token NAME`. */
  readonly actor: string;
  /** Null for tokens and links. */
  readonly account: StoredAccount | null;
  /** Null for a caller with a token in the Authorization header. */
  readonly session: OpenSession | null;
  /** Of an API token; null for every other caller. */
  readonly tokenHash: string | null;
  /** It may only read, also where its role may change things. */
  readonly readOnly: boolean;
}

/** A session as its owner has it. */
export interface OpenSession extends StoredSession {
  /** What the cookie holds. */
  readonly secret: string;
  readonly csrfToken: string;
}
