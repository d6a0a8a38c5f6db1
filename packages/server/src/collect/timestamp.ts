import { inRange, isCanonical, isoText, readInstant } from '../core/instant.ts';

/** What a client said about a moment: its own text, kept whatever it says, and the instant if it can be read. */
export interface Stamp {
  readonly text: string;
  readonly instant: number;
}

/** Null when nothing was given: absent, null or an empty string. A value that is no string is kept as its JSON. */
export function readStamp(value: unknown): Stamp | null {
  if (value === undefined || value === null || value === '') return null;
  return { text: typeof value === 'string' ? value : JSON.stringify(value), instant: readInstant(value) };
}

/** A moment in canonical form; whole milliseconds in the years 0000 to 9999. */
export function stampOf(instant: number): Stamp {
  return { text: isoText(instant), instant };
}

/**
 * The delivered timestamp. With a readable `sentAt` the client's clock is corrected by how far it was off when it sent:
 * `receivedAt − (sentAt − originalTimestamp)`, where `originalTimestamp` falls back to `timestamp`; without, the
 * timestamp as given. What can't be read, or leads out of the years 0000 to 9999, gives `receivedAt`.
 * The text of the answer is canonical.
 */
export function correctedTimestamp(
  timestamp: Stamp | null,
  originalTimestamp: Stamp | null,
  sentAt: Stamp | null,
  received: Stamp,
): Stamp {
  const original = originalTimestamp ?? timestamp;
  if (original === null) return received;
  if (sentAt === null || Number.isNaN(sentAt.instant)) {
    const given = timestamp ?? original;
    if (Number.isNaN(given.instant)) return received;
    return isCanonical(given.text) ? given : stampOf(given.instant);
  }
  const corrected = inRange(received.instant - (sentAt.instant - original.instant));
  return Number.isNaN(corrected) || corrected === received.instant ? received : stampOf(corrected);
}
