import { inRange, isoText, readInstant } from '../core/instant.ts';

/** What a client said about a moment: its own text, which is always kept, and the instant if it can be read. */
export interface Stamp {
  readonly text: string;
  readonly instant: number;
}

/**
 * Null when nothing was given: absent, null or an empty string. A value that is no string is kept as its JSON. Numbers, also as text,
 * are milliseconds since the epoch, those of 9 or 10 digits seconds.
 */
export function readStamp(value: unknown): Stamp | null {
  if (value === undefined || value === null || value === '') return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { text, instant: DIGITS.test(text) ? readInstant(inMilliseconds(Number(text))) : readInstant(value) };
}

/** From 9 digits on: what is shorter is a year, or a date without its hyphens. */
const DIGITS = /^\d{9,15}(\.\d{1,9})?$/;

function inMilliseconds(number: number): number {
  return number < 1e10 ? number * 1_000 : number;
}

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
