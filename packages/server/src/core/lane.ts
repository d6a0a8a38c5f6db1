import type { Position } from './event.ts';

/** Earlier versions read the log for people/ by a lane of each source, under this destination. Stores list none of these. */
export const FORMER_PEOPLE = 'people';

/**
 * One source→destination pair, reading the log at a position of its own. A pair that is connected again after it was
 * cut gets a new lane: the events between belong to neither.
 */
export interface Lane {
  readonly id: number;
  readonly sourceId: string;
  readonly destinationId: string;
  /** Its events come after this position of the log. */
  readonly after: Position;
  /** Its last event is at or before this position: it has ended, and is read until it has settled those. Null while open. */
  readonly until: Position | null;
}

/** Whether a position is among those that a lane hands out, of events of its source. */
export function isWithinLane({ after, until }: Lane, position: Position): boolean {
  return position > after && (until === null || position <= until);
}

/**
 * Counts of one lane. Always `accepted = processed + failed + filtered + waiting`; `retrying` is the part of `waiting`
 * that had an attempt or is in the retry queue for another.
 */
export interface LaneCounts {
  readonly accepted: number;
  readonly processed: number;
  readonly failed: number;
  readonly filtered: number;
  readonly waiting: number;
  readonly retrying: number;
}

export const NO_COUNTS: LaneCounts = { accepted: 0, processed: 0, failed: 0, filtered: 0, waiting: 0, retrying: 0 };

/** The counts of lanes together. */
export function sumCounts(lanes: readonly { readonly counts: LaneCounts }[]): LaneCounts {
  const sum = { ...NO_COUNTS };
  for (const { counts } of lanes) for (const name of COUNTED) sum[name] += counts[name];
  return sum;
}

const COUNTED = Object.keys(NO_COUNTS) as (keyof LaneCounts)[];
