import { emailKey } from '../core/account.ts';
import { Fault } from '../core/fault.ts';
import { Attempts, addressKey } from './attempts.ts';
import type { StoredAccount } from './contract.ts';
import type { OneTimeLink } from './one-time-link.ts';
import type { AccountsOptions } from './options.ts';
import type { Passwords } from './passwords.ts';
import { hasHash } from './secrets.ts';
import type { FoundSession, Sessions } from './sessions.ts';

/** What a person signs in with: exactly one of the three. */
export type Credentials =
  | { readonly token: string }
  | { readonly link: string }
  | { readonly email: string; readonly password: string };

export interface SignInOptions extends AccountsOptions {
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly link: OneTimeLink;
}

/**
 * Opens sessions. Failures are counted by address, and by address and account together, in memory. After ten in fifteen minutes
 * one password is looked at in 30 s: who guesses slows down their own address and no other, and the right password is never
 * kept out for longer. The right admin token and the right link always open one: neither can be guessed.
 */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #attempts: Attempts;
  /** For many accounts from one address, which colleagues may share. */
  readonly #byAddress: Attempts;

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options.clock);
    this.#byAddress = new Attempts(options.clock, { free: 30, every: 10_000 });
  }

  /**
   * @throws Fault `unauthorized` when the credentials are wrong, without a word about which of them; `rate_limited` when
   *   there were too many failures.
   */
  async open(credentials: Credentials, address: string): Promise<FoundSession> {
    const { adminTokenHash, link, sessions } = this.#options;
    if ('email' in credentials) return this.#openWithPassword(credentials.email, credentials.password, address);
    const way = 'token' in credentials ? 'token' : 'link';
    const isRight = 'token' in credentials ? hasHash(credentials.token, adminTokenHash) : link.use(credentials.link);
    if (isRight) return sessions.open(way, null);
    this.#take([[this.#byAddress, [addressOf(address)]]]);
    throw new Fault('unauthorized', WRONG[way]);
  }

  async #openWithPassword(email: string, password: string, address: string): Promise<FoundSession> {
    const { store, clock, passwords, sessions } = this.#options;
    const counted: Counted = [
      [this.#attempts, [`${addressOf(address)} ${emailKey(email)}`]],
      [this.#byAddress, [addressOf(address)]],
    ];
    this.#take(counted);
    const checked = async (): Promise<StoredAccount | null> => {
      const account = await store.accountByEmail(email);
      return (await passwords.fits(password, account?.passwordHash ?? null)) ? account : null;
    };
    const account = await checked().catch((error: unknown) => {
      // The password was not looked at.
      takeBack(counted);
      throw error;
    });
    if (account === null) throw new Fault('unauthorized', WRONG.password);
    takeBack(counted);
    const opened = await sessions.open('password', account);
    // Looked at when the session is there: a password that is changed later ends it, one that was changed before shows here.
    const signedIn = await store.changeAccount(account.id, { lastSignInAt: clock.now() });
    if (signedIn?.passwordHash !== account.passwordHash) {
      await sessions.close(opened.session);
      throw new Fault('unauthorized', WRONG.password);
    }
    return { ...opened, caller: { ...opened.caller, role: signedIn.role, account: signedIn } };
  }

  /** Counts an attempt by all of these, or, where one of them is refused, by none. */
  #take(counted: Counted): void {
    for (const [attempts, keys] of counted) {
      const retryAfter = attempts.wait(keys);
      if (retryAfter === null) continue;
      const message = 'Too many attempts to sign in failed; wait, or use the admin token';
      throw new Fault('rate_limited', message, { retryAfter });
    }
    for (const [attempts, keys] of counted) attempts.take(keys);
  }
}

type Counted = readonly (readonly [Attempts, readonly string[]])[];

function takeBack(counted: Counted): void {
  for (const [attempts, keys] of counted) attempts.succeeded(keys);
}

const WRONG = {
  token: 'The admin token is wrong',
  link: 'The link was used, is older than an hour, or the service was started again since',
  password: 'The e-mail address or the password is wrong',
} as const;

function addressOf(address: string): string {
  return `address ${addressKey(address)}`;
}
