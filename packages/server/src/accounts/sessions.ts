import type { Role } from '../core/account.ts';
import type { Caller, OpenSession } from './caller.ts';
import type { StoredAccount, StoredSession } from './contract.ts';
import type { AccountsOptions } from './options.ts';
import { derived, hashOf, isSecret, newSecret, sameSecret } from './secrets.ts';

/** How long a session lives after it was last used, milliseconds: 14 days. */
const LIFETIME = 14 * 24 * 60 * 60 * 1000;
/** However much it is used: 30 days. */
const LONGEST = 30 * 24 * 60 * 60 * 1000;
/** A session that is used is renewed in the store this often at most. */
const RENEWAL = 60 * 60 * 1000;

/** A caller with a session, and whether it lives longer now than its cookie says. */
export interface FoundSession {
  readonly caller: Caller;
  readonly session: OpenSession;
  readonly renewed: boolean;
}

/**
 * Sessions of the web interface: a secret that only the browser has. They outlive the process. One of an account has
 * the account's role of the moment and ends with it; one opened with the admin token or a one-time link ends when the
 * admin token is another.
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
   * Who has this session; null when there is none that lives. Where nothing can be written it is not renewed, and still
   * good: people look most when the disk is full.
   *
   * @param isUse Whether it is used, which renews it; or only watched.
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

  /** Whether the session still lives, and its account has this role. Renews nothing: to watch is not to use. */
  async lives({ hash }: StoredSession, role: Role): Promise<boolean> {
    const { store, clock } = this.#options;
    const stored = await store.session(hash, clock.now());
    return stored !== null && this.#isSealed(stored.session) && (stored.account?.role ?? role) === role;
  }

  close(session: StoredSession): Promise<void> {
    return this.#options.store.deleteSession(session.hash);
  }

  /** Those that live, the newest first. */
  async list(): Promise<readonly ListedSession[]> {
    const { store, clock } = this.#options;
    const living = (await store.sessions(clock.now())).filter((session) => this.#isSealed(session));
    return living.toSorted((a, b) => b.createdAt - a.createdAt).map((session) => ({ ...session, id: idOf(session) }));
  }

  /** A session without an account ends when the admin token is another. */
  #isSealed({ hash, seal }: StoredSession): boolean {
    return seal === null || sameSecret(seal, this.#seal(hash));
  }

  #seal(hash: string): string {
    return derived(this.#options.adminTokenHash, `session ${hash}`);
  }
}

/** A session as it is named to others. Its id opens nothing. */
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
