import type { Role } from '../core/account.ts';
import type { Caller, OpenSession } from './caller.ts';
import type { StoredAccount, StoredSession } from './contract.ts';
import type { AccountsOptions } from './options.ts';
import { derived, hashOf, isSecret, newSecret, sameSecret } from './secrets.ts';

/** How long a session lasts after its last use, milliseconds: 14 days. */
const LIFETIME = 14 * 24 * 60 * 60 * 1000;
/** The longest a session lasts, even in constant use: 30 days. */
const LONGEST = 30 * 24 * 60 * 60 * 1000;
/** The shortest time between two renewals of a session in the store. */
const RENEWAL = 60 * 60 * 1000;

/** A caller with a session, and whether the session was renewed: then its cookie must be set again. */
export interface FoundSession {
  readonly caller: Caller;
  readonly session: OpenSession;
  readonly renewed: boolean;
}

/**
 * Sessions of the web interface: a secret that only the browser has. Sessions survive a restart. A session of an account has the
 * account's current role and ends with the account. A session that was opened with the admin token or a one-time link ends when
 * the admin token changes.
 */
export class Sessions {
  readonly #options: AccountsOptions;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  async open(way: StoredSession['way'], account: StoredAccount | null): Promise<FoundSession> {
    const { store, clock, random } = this.#options;
    const secret = newSecret(random);
    const hash = hashOf(secret);
    const now = clock.now();
    const session: StoredSession = {
      hash,
      accountId: account?.id ?? null,
      way,
      seal: account === null ? this.#seal(hash) : null,
      createdAt: now,
      renewedAt: now,
      expiresAt: now + LIFETIME,
    };
    await store.addSession(session);
    return found(session, account, secret, true);
  }

  /**
   * The caller with this session; null if there is none or it has expired. If the store can't be written (for example a full
   * disk), the session is still valid but not renewed.
   *
   * @param isUse True for a use, which renews the session; false for watching only.
   */
  async find(secret: string, isUse = true): Promise<FoundSession | null> {
    const { store, clock, log } = this.#options;
    if (!isSecret(secret)) return null;
    const now = clock.now();
    const stored = await store.session(hashOf(secret), now);
    if (stored === null) return null;
    const { session, account } = stored;
    if (!this.#isSealed(session)) return null;
    if (!isUse || now - session.renewedAt < RENEWAL) return found(session, account, secret, false);
    const renewal = { renewedAt: now, expiresAt: Math.min(now + LIFETIME, session.createdAt + LONGEST) };
    try {
      await store.renewSession(session.hash, renewal);
    } catch (error) {
      log.warn({ err: error }, 'a session could not be renewed');
      return found(session, account, secret, false);
    }
    return found({ ...session, ...renewal }, account, secret, true);
  }

  /** Whether the session is valid and its account has this role. Does not renew it: watching is no use. */
  async lives({ hash }: StoredSession, role: Role): Promise<boolean> {
    const { store, clock } = this.#options;
    const stored = await store.session(hash, clock.now());
    return stored !== null && this.#isSealed(stored.session) && (stored.account?.role ?? role) === role;
  }

  close({ hash }: Pick<StoredSession, 'hash'>): Promise<void> {
    return this.#options.store.deleteSession(hash);
  }

  /** The valid sessions, newest first. */
  async list(): Promise<readonly ListedSession[]> {
    const { store, clock } = this.#options;
    const living = (await store.sessions(clock.now())).filter((session) => this.#isSealed(session));
    return living.toSorted((a, b) => b.createdAt - a.createdAt).map((session) => ({ ...session, id: idOf(session) }));
  }

  /** False if the session has no account and the admin token has changed since. */
  #isSealed({ hash, seal }: StoredSession): boolean {
    return seal === null || sameSecret(seal, this.#seal(hash));
  }

  #seal(hash: string): string {
    return derived(this.#options.adminTokenHash, `session ${hash}`);
  }
}

/** A session as listed to others. Its id gives no access. */
export interface ListedSession extends StoredSession {
  readonly id: string;
}

function idOf({ hash }: StoredSession): string {
  return `ses_${derived(hash, 'session id').slice(0, 16)}`;
}

function found(stored: StoredSession, account: StoredAccount | null, secret: string, renewed: boolean): FoundSession {
  const session: OpenSession = { ...stored, secret, csrfToken: derived(secret, 'csrf') };
  const actor = account?.email ?? (stored.way === 'link' ? 'one-time link' : 'admin token');
  return {
    caller: { role: account?.role ?? 'admin', actor, account, session, tokenHash: null, readOnly: false },
    session,
    renewed,
  };
}
