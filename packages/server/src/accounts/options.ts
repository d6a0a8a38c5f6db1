import type { Clock } from '../core/clock.ts';
import type { AccountStore } from './contract.ts';
import type { RandomBytes } from './secrets.ts';

/** What is needed to tell who someone is. */
export interface AccountsOptions {
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly newId: (kind: 'acc' | 'inv' | 'tok') => string;
  /** Of the token that always is an admin's: the way in when every other is lost. */
  readonly adminTokenHash: string;
  readonly log: { warn(fields: object, message: string): void };
}
