import type { Clock } from '../core/clock.ts';
import { Recurring } from '../core/recurring.ts';
import type { AccountStore } from './contract.ts';

export interface UpkeepOptions {
  readonly store: Pick<AccountStore, 'sweep'>;
  readonly clock: Clock;
  readonly log: { error(fields: object, message: string): void };
}

const DAY = 24 * 60 * 60 * 1000;

/** How long audit entries and finished regulations are kept, milliseconds: 400 days. */
export const RECORDS_KEPT: number = 400 * DAY;

/** Lets go of sessions and invites that expired and of old audit entries, at start and then daily. */
export class AccountUpkeep extends Recurring {
  constructor(options: UpkeepOptions) {
    super({ clock: options.clock, every: DAY, run: () => sweep(options) });
  }
}

async function sweep({ store, clock, log }: UpkeepOptions): Promise<void> {
  try {
    await store.sweep(clock.now(), clock.now() - RECORDS_KEPT);
  } catch (error) {
    log.error({ err: error }, 'could not drop old sessions and audit entries; trying again in a day');
  }
}
