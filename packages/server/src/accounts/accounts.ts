import { agedBefore, type Clock } from '../core/clock.ts';
import { Recurring } from '../core/recurring.ts';
import type { Service } from '../core/service.ts';
import type { Trouble } from '../core/trouble.ts';
import type { Caller } from './caller.ts';
import type { AccountStore } from './contract.ts';
import { OneTimeLink } from './one-time-link.ts';
import type { AccountsOptions } from './options.ts';
import { Passwords } from './passwords.ts';
import { People } from './people.ts';
import { Sessions } from './sessions.ts';
import { type SignIn, signIn } from './sign-in.ts';
import { Tokens } from './tokens.ts';

/** Accounts, sessions and tokens: who may use the admin API. */
export interface Accounts {
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly people: People;
  readonly tokens: Tokens;
  readonly link: OneTimeLink;
  readonly audit: Pick<AccountStore, 'audit' | 'auditEntries'>;
  /** Whether the caller's session or token is still valid and has the same role. For responses that stay open long. */
  isStillIn(caller: Caller): Promise<boolean>;
}

export function createAccounts(options: AccountsOptions): Accounts {
  const { store, clock, random } = options;
  const passwords = new Passwords(random);
  const sessions = new Sessions(options);
  const tokens = new Tokens(options);
  const link = new OneTimeLink(clock, random);
  return {
    sessions,
    signIn: signIn({ ...options, passwords, sessions, link }),
    people: new People({ ...options, passwords, sessions }),
    tokens,
    link,
    audit: store,
    async isStillIn({ session, tokenHash, role }) {
      if (session !== null) return sessions.lives(session, role);
      return tokenHash === null || tokens.isThere(tokenHash);
    },
  };
}

const DAY = 24 * 60 * 60 * 1000;

/** How long audit entries and finished regulations are kept, milliseconds: 400 days. */
export const RECORDS_KEPT: number = 400 * DAY;

/** Deletes expired sessions and invites, and old audit entries: at start and then daily. */
export function accountUpkeep(store: Pick<AccountStore, 'sweep'>, clock: Clock, trouble: Trouble): Service {
  return new Recurring({
    clock,
    every: DAY,
    trouble,
    run: () => store.sweep(clock.now(), agedBefore(clock, RECORDS_KEPT)),
  });
}
