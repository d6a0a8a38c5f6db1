import type { Clock } from '../core/clock.ts';
import { Recurring } from '../core/recurring.ts';
import type { Trouble } from '../core/trouble.ts';
import type { AccountStore } from './contract.ts';

export interface UpkeepOptions {
  readonly store: Pick<AccountStore, 'sweep'>;
  readonly clock: Clock;
  readonly trouble: Trouble;
}

const DAY = 24 * 60 * 60 * 1000;

/** How long audit entries and finished regulations are kept, milliseconds: 400 days. */
export const RECORDS_KEPT: number = 400 * DAY;

/** Lets go of sessions and invites that expired and of old audit entries, at start and then daily. */
export class AccountUpkeep extends Recurring {
  constructor({ store, clock, trouble }: UpkeepOptions) {
    super({ clock, every: DAY, trouble, run: () => store.sweep(clock.now(), clock.now() - RECORDS_KEPT) });
  }
}
