import type { Role } from '../core/account.ts';
import { Fault } from '../core/fault.ts';
import type { Changed } from '../core/revision.ts';
import { Attempts } from './attempts.ts';
import type { Caller } from './caller.ts';
import type { StoredAccount, StoredInvite } from './contract.ts';
import type { AccountsOptions } from './options.ts';
import type { Passwords } from './passwords.ts';
import { hashOf, isSecret, newSecret } from './secrets.ts';
import type { FoundSession, Sessions } from './sessions.ts';

export interface PeopleOptions extends AccountsOptions {
  readonly passwords: Passwords;
  readonly sessions: Sessions;
}

/** How long an invite can be accepted, milliseconds: 7 days. */
const INVITE_LIFETIME = 7 * 24 * 60 * 60 * 1000;

export interface CreatedInvite {
  readonly invite: StoredInvite;
  /** Path of the page to accept the invite. The secret stands behind `#`, so no server and no log sees it. */
  readonly link: string;
}

/** People with accounts. An admin invites them and passes on a link; they choose their own passwords. */
export class People {
  readonly #options: PeopleOptions;
  /** Limits changes of the password: a stranger at an open session must not guess it. */
  readonly #attempts: Attempts;

  constructor(options: PeopleOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options.clock);
  }

  list(): Promise<readonly StoredAccount[]> {
    return this.#options.store.accounts();
  }

  find(id: string): Promise<StoredAccount | null> {
    return this.#options.store.account(id);
  }

  /** Changes an account. A new role applies at once, to open sessions too. @throws Fault `not_found` */
  async change(id: string, change: { name?: string; role?: Role }): Promise<Changed<StoredAccount>> {
    return (await this.#options.store.changeAccount(id, change)) ?? missing(`account ${id}`);
  }

  /** Deletes an account and its sessions. @throws Fault `not_found`; `conflict` if it is the caller's own account. */
  async delete(id: string, caller: Caller): Promise<void> {
    if (caller.account?.id === id) {
      throw new Fault('conflict', 'This is your own account: have another admin delete it');
    }
    if (!(await this.#options.store.deleteAccount(id))) missing(`account ${id}`);
  }

  /**
   * Changes the caller's password and ends the caller's other sessions. Answers false if the current password is wrong.
   *
   * @throws Fault `conflict` for a caller without an account; `rate_limited` after ten wrong passwords in fifteen minutes.
   */
  async changePassword({ account, session }: Caller, current: string, password: string): Promise<boolean> {
    const { store, passwords } = this.#options;
    if (account === null || session === null) {
      throw new Fault(
        'conflict',
        'Only an account has a password; the admin token is changed where the service is set up',
      );
    }
    // Counted by session: a stranger at one open session must not lock the owner out of the others.
    const wait = this.#attempts.take(session.hash);
    if (wait !== null) throw new Fault('rate_limited', 'Too many wrong passwords; wait', { retryAfter: wait });
    const before = account.passwordHash;
    let isWrong = false;
    try {
      isWrong = !(await passwords.fits(current, before));
      // Answers false if another session has changed the password since it was read.
      return (
        !isWrong &&
        (await store.changePassword(account.id, { before, after: await passwords.hash(password) }, session.hash))
      );
    } finally {
      if (!isWrong) this.#attempts.succeeded(session.hash);
    }
  }

  invites(): Promise<readonly StoredInvite[]> {
    return this.#options.store.invites(this.#options.clock.now());
  }

  /** Invites an e-mail address. An earlier invite of the address becomes invalid. @throws Fault `conflict` if it has an account. */
  async invite(email: string, role: Role): Promise<CreatedInvite> {
    const { store, clock, random, newId } = this.#options;
    if (await store.accountByEmail(email)) throw new Fault('conflict', `${email} has an account`);
    const secret = newSecret(random);
    const createdAt = clock.now();
    const expiresAt = createdAt + INVITE_LIFETIME;
    const invite = { id: newId('inv'), hash: hashOf(secret), email, role, createdAt, expiresAt };
    await store.addInvite(invite);
    return { invite, link: `/invite#${secret}` };
  }

  /** Deletes an invite. @throws Fault `not_found` */
  async withdraw(id: string): Promise<void> {
    if (!(await this.#options.store.deleteInvite(id))) missing(`invite ${id}`);
  }

  /** @throws Fault `not_found` if no invite has this secret, or it has expired. */
  async lookUp(secret: string): Promise<StoredInvite> {
    const { store, clock } = this.#options;
    const invite = isSecret(secret) ? await store.invite(hashOf(secret), clock.now()) : null;
    return invite ?? missing('invite with this link: it was used, withdrawn or replaced, or is older than 7 days');
  }

  /** Creates the account and signs in. @throws Fault `not_found` as `lookUp` does. */
  async accept(secret: string, name: string, password: string): Promise<FoundSession> {
    const { store, clock, newId, passwords, sessions } = this.#options;
    const { id, email, role } = await this.lookUp(secret);
    const passwordHash = await passwords.hash(password);
    const now = clock.now();
    const account = { id: newId('acc'), email, name, role, passwordHash, createdAt: now, lastSignInAt: now };
    if (!(await store.acceptInvite(id, account)))
      throw new Fault('conflict', 'The invite was accepted, withdrawn or replaced meanwhile');
    return sessions.open('password', account);
  }
}

function missing(what: string): never {
  throw new Fault('not_found', `There is no ${what}`);
}
