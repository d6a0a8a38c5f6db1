import { agedBefore } from '../core/clock.ts';
import { Recurring } from '../core/recurring.ts';
import type { Engine } from './engine.ts';
import type { ExpiryPlace } from './expiring.ts';
import type { PeopleWorld, Step } from './world.ts';

export interface ExpiryOptions extends Pick<PeopleWorld, 'clock' | 'report'> {
  readonly engine: Pick<Engine, 'expire'>;
  /** How long profiles are kept, milliseconds. */
  readonly keep: number;
  readonly step: Step;
}

const DAY = 86_400_000;

/** Removes what is older than profiles are kept, at the start and then once a day. */
export class Expiry extends Recurring {
  readonly #stopping: AbortController;

  constructor(options: ExpiryOptions) {
    const stopping = new AbortController();
    super({ clock: options.clock, every: DAY, run: () => expire(options, stopping.signal) });
    this.#stopping = stopping;
  }

  /** Resolves after the page under way. */
  override stop(): Promise<void> {
    this.#stopping.abort();
    return super.stop();
  }
}

async function expire({ engine, clock, keep, step, report }: ExpiryOptions, signal: AbortSignal): Promise<void> {
  try {
    const before = agedBefore(clock, keep);
    for (let from: ExpiryPlace | null = { kind: 0 }; from !== null && !signal.aborted; ) {
      const page = engine.expire(before, from, clock.now());
      await step(page);
      from = (await page).next;
    }
  } catch (error) {
    if (!signal.aborted) report(error, 'old events could not be forgotten; trying again tomorrow');
  }
}
