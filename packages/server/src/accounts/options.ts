import type { Clock } from '../core/clock.ts';
import type { AccountStore } from './contract.ts';
import type { RandomBytes } from './secrets.ts';

/** What is needed to identify a caller. */
export interface AccountsOptions {
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly newId: (kind: 'acc' | 'inv' | 'tok') => string;
  /** Hash of the admin token. That token always has the role admin: it still works if all other access is lost. */
  readonly adminTokenHash: string;
  readonly log: { warn(fields: object, message: string): void };
}
