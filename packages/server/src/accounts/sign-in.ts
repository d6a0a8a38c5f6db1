import { emailKey } from '../core/account.ts';
import { Fault } from '../core/fault.ts';
import { Attempts, addressKey } from './attempts.ts';
import type { StoredAccount } from './contract.ts';
import type { OneTimeLink } from './one-time-link.ts';
import type { AccountsOptions } from './options.ts';
import type { Passwords } from './passwords.ts';
import { hasHash } from './secrets.ts';
import type { FoundSession, Sessions } from './sessions.ts';

/** The credentials of a sign-in: exactly one of the three. */
export type Credentials =
  | { readonly token: string }
  | { readonly link: string }
  | { readonly email: string; readonly password: string };

export interface SignInOptions extends AccountsOptions {
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly link: OneTimeLink;
}

export interface SignedIn extends FoundSession {
  /** Ends the session, for a client that did not get its secret. A one-time link that opened it is valid again. */
  giveUp(): Promise<void>;
}

/** @throws Fault `unauthorized` if the credentials are wrong, without saying which part; `rate_limited` after too many failures. */
export type SignIn = (credentials: Credentials, address: string) => Promise<SignedIn>;

/**
 * Opens sessions. Failed attempts are counted in memory, by address, and by address and account together. After ten failures in
 * fifteen minutes, one password is checked per 30 s. This slows down only the guesser's own address, and the right password never
 * waits longer. The right admin token and the right link always open a session: neither can be guessed.
 */
export function signIn({ adminTokenHash, store, clock, passwords, sessions, link }: SignInOptions): SignIn {
  const byAccount = new Attempts(clock);
  /** Counts attempts on many accounts from one address. Colleagues may share the address. */
  const byAddress = new Attempts(clock, { free: 30, every: 10_000 });

  async function withPassword(email: string, password: string, address: string): Promise<FoundSession> {
    const counted: Counted = [
      [byAccount, `${addressOf(address)} ${emailKey(email)}`],
      [byAddress, addressOf(address)],
    ];
    take(counted);
    const checked = async (): Promise<StoredAccount | null> => {
      const account = await store.accountByEmail(email);
      return (await passwords.fits(password, account?.passwordHash ?? null)) ? account : null;
    };
    const account = await checked().catch((error: unknown) => {
      // The password was not checked, so the attempt does not count.
      takeBack(counted);
      throw error;
    });
    if (account === null) throw new Fault('unauthorized', WRONG.password);
    takeBack(counted);
    const opened = await sessions.open('password', account);
    // Read again now that the session exists: a later change of the password ends the session, an earlier one is seen here.
    const signedIn = await store.changeAccount(account.id, { lastSignInAt: clock.now() });
    if (signedIn?.after.passwordHash !== account.passwordHash) {
      await sessions.close(opened.session);
      throw new Fault('unauthorized', WRONG.password);
    }
    return { ...opened, caller: { ...opened.caller, role: signedIn.after.role, account: signedIn.after } };
  }

  async function withSecret(way: 'token' | 'link', isRight: boolean, address: string): Promise<FoundSession> {
    if (isRight) return sessions.open(way, null);
    take([[byAddress, addressOf(address)]]);
    throw new Fault('unauthorized', WRONG[way]);
  }

  async function withLink(secret: string, address: string): Promise<SignedIn> {
    const isRight = link.use(secret);
    try {
      const found = await withSecret('link', isRight, address);
      const giveUp = async (): Promise<void> => {
        await sessions.close(found.session);
        link.giveBack(secret);
      };
      return { ...found, giveUp };
    } catch (error) {
      if (isRight) link.giveBack(secret);
      throw error;
    }
  }

  return async (credentials, address) => {
    if ('link' in credentials) return withLink(credentials.link, address);
    const found =
      'email' in credentials
        ? await withPassword(credentials.email, credentials.password, address)
        : await withSecret('token', hasHash(credentials.token, adminTokenHash), address);
    return { ...found, giveUp: () => sessions.close(found.session) };
  };
}

type Counted = readonly (readonly [Attempts, string])[];

/** Counts an attempt by all keys; if one key must wait, by none. @throws Fault `rate_limited` */
function take(counted: Counted): void {
  for (const [attempts, key] of counted) {
    const retryAfter = attempts.wait(key);
    if (retryAfter === null) continue;
    const message = 'Too many attempts to sign in failed; wait, or use the admin token';
    throw new Fault('rate_limited', message, { retryAfter });
  }
  for (const [attempts, key] of counted) attempts.take(key);
}

function takeBack(counted: Counted): void {
  for (const [attempts, key] of counted) attempts.succeeded(key);
}

const WRONG = {
  token: 'The admin token is wrong',
  link: 'The link was used, is older than an hour, or the service was started again since',
  password: 'The e-mail address or the password is wrong',
} as const;

function addressOf(address: string): string {
  return `address ${addressKey(address)}`;
}
