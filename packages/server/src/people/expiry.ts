import { agedBefore } from '../core/clock.ts';
import type { Engine } from './engine.ts';
import type { ExpiryPlace } from './expiring.ts';
import type { PeopleWorld, Step } from './world.ts';

export interface ExpiryOptions extends Pick<PeopleWorld, 'clock'> {
  readonly engine: Pick<Engine, 'expire'>;
  readonly step: Step;
}

/**
 * Removes what is older than `keep` milliseconds, page by page. It ends after the page under way when the signal aborts.
 *
 * @throws The signal's reason.
 */
export async function expire({ engine, clock, step }: ExpiryOptions, keep: number, signal: AbortSignal): Promise<void> {
  const before = agedBefore(clock, keep);
  for (let from: ExpiryPlace | null = { kind: 0 }; from !== null; ) {
    signal.throwIfAborted();
    const page = engine.expire(before, from, clock.now());
    await step(page);
    from = (await page).next;
  }
}
