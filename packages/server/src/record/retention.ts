import { agedBefore, type Clock } from '../core/clock.ts';
import type { Offsets } from '../core/position.ts';
import { Recurring } from '../core/recurring.ts';
import type { Trouble } from '../core/trouble.ts';
import type { Retention } from './contract.ts';

export interface RetentionOptions {
  readonly store: Retention;
  /** The offsets up to which all readers of the whole log have taken it in. */
  readonly takenIn: () => Promise<Offsets>;
  readonly clock: Clock;
  /** How long events and their records are kept, milliseconds. */
  readonly keep: number;
  readonly log: { info(fields: object, message: string): void };
  readonly trouble: Trouble;
}

/** It looks this often, or more often where less is kept. */
const HOUR = 60 * 60 * 1000;

/** Removes old data, partition by partition, at the start and then regularly. */
export class RetentionService extends Recurring {
  constructor(options: RetentionOptions) {
    const { clock, keep, trouble } = options;
    super({ clock, every: Math.min(HOUR, keep / 10), trouble, run: () => expire(options) });
  }
}

async function expire({ store, takenIn, clock, keep, log }: RetentionOptions): Promise<void> {
  const partitions = await store.expire(agedBefore(clock, keep), await takenIn());
  if (partitions > 0) log.info({ partitions }, 'dropped old data');
}
