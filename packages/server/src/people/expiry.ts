import { agedBefore } from '../core/clock.ts';
import type { Engine } from './engine.ts';
import type { ExpiryPlace } from './expiring.ts';
import type { PeopleWorld, Step } from './world.ts';

export interface ExpiryOptions extends Pick<PeopleWorld, 'clock' | 'report'> {
  readonly engine: Pick<Engine, 'expire'>;
  /** How long profiles are kept, milliseconds. */
  readonly keep: number;
  readonly step: Step;
  /** Whether the process no longer leads. */
  readonly isOver: () => boolean;
}

/** Removes what is older than profiles are kept. Ends before that, after the page under way, when `isOver` answers true. */
export async function expire({ engine, clock, keep, step, report, isOver }: ExpiryOptions): Promise<void> {
  try {
    const before = agedBefore(clock, keep);
    for (let from: ExpiryPlace | null = { kind: 0 }; from !== null && !isOver(); ) {
      const page = engine.expire(before, from, clock.now());
      await step(page);
      from = (await page).next;
    }
  } catch (error) {
    if (!isOver()) report(error, 'old events could not be forgotten; trying again tomorrow');
  }
}
