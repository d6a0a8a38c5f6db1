import type { Position } from '../core/event.ts';
import type { RunnerWorld } from './runner-world.ts';

/** Messages of the retry queue that are made due at once, until there are no more. */
const AT_ONCE = 5_000;

/**
 * Makes due what waits in a destination's retry queue: these messages, or (null) all of it, for as long as `goesOn` says so,
 * which is asked whenever some have become due. What fails here is due in its time.
 */
export async function hastenRetries(
  { hasten, clock, report }: Pick<RunnerWorld, 'hasten' | 'clock' | 'report'>,
  destinationId: string,
  of: readonly Position[] | null,
  goesOn: () => boolean,
): Promise<void> {
  if (of?.length === 0) return;
  try {
    do {
      if ((await hasten(destinationId, clock.now(), of ?? AT_ONCE)) === 0) return;
    } while (goesOn() && of === null);
  } catch (error) {
    report(error, destinationId);
  }
}
