import type { Position } from './event.ts';

/** Earlier versions read the log for people/ by a lane of each source to this destination. Stores do not list these lanes. */
export const FORMER_PEOPLE = 'people';

/**
 * One pair of source and destination, which reads the log at its own position. A pair that is disconnected and connected again
 * gets a new lane: events that came between belong to neither lane.
 */
export interface Lane {
  readonly id: number;
  readonly sourceId: string;
  readonly destinationId: string;
  /** Its events come after this position of the log. */
  readonly after: Position;
  /** The lane's last event is at or before this position: the lane has ended, and is read until its events are settled. Null while it is open. */
  readonly until: Position | null;
}

/** Whether a lane hands out the event of its source at a position. */
export function isWithinLane({ after, until }: Lane, position: Position): boolean {
  return position > after && (until === null || position <= until);
}

/**
 * Counts of one lane. Always `accepted = processed + failed + filtered + waiting`; `retrying` is the part of `waiting` that had
 * an attempt or waits in the retry queue.
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

/** The counts of several lanes added up. */
export function sumCounts(lanes: readonly { readonly counts: LaneCounts }[]): LaneCounts {
  const sum = { ...NO_COUNTS };
  for (const { counts } of lanes) for (const name of COUNTED) sum[name] += counts[name];
  return sum;
}

const COUNTED = Object.keys(NO_COUNTS) as (keyof LaneCounts)[];
