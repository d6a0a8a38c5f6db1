import { inRange, isoText } from '../core/instant.ts';
import type { Stamp } from '../core/stamp.ts';

/** A moment in canonical form; whole milliseconds in the years 0000 to 9999. */
export function stampOf(instant: number): Stamp {
  return { text: isoText(instant), instant };
}

/**
 * The delivered timestamp (contract 1.4): the call's `timestamp`, else its `originalTimestamp`, else `receivedAt`. Where
 * `sentAt` says that the client's clock was wrong, the time is corrected by as much. What can't be read, or leads out of the
 * years 0000 to 9999, gives `receivedAt`. The text of the answer is canonical.
 */
export function correctedTimestamp(
  timestamp: Stamp | null,
  originalTimestamp: Stamp | null,
  sentAt: Stamp | null,
  received: Stamp,
): Stamp {
  const given = timestamp ?? originalTimestamp;
  if (given === null || Number.isNaN(given.instant)) return received;
  const wrong = received.instant - (sentAt?.instant ?? received.instant);
  const isClock = Math.abs(wrong) > LEAST_CORRECTED && Math.abs(wrong) <= MOST_CORRECTED;
  if (!isClock) return stampOf(given.instant);
  const corrected = inRange(given.instant + wrong);
  return Number.isNaN(corrected) ? received : stampOf(corrected);
}

/** Below it is the time on the way, and a `sentAt` of whole seconds: they would spoil exact history. */
const LEAST_CORRECTED = 5_000;
/** A day: beyond it no clock is wrong, but the caller lies or sends what it had stored. */
const MOST_CORRECTED = 86_400_000;
