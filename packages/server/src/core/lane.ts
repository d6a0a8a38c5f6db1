/**
 * One source→destination pair, reading the log at a position of its own. A pair that is connected again after it was
 * cut gets a new lane: the events between belong to neither.
 */
export interface Lane {
  readonly id: number;
  readonly sourceId: string;
  readonly destinationId: string;
  /** An ended lane gets no event accepted after its end; it is read until it has settled those before. */
  readonly ended: boolean;
}

/**
 * Counts of one lane. Always `accepted = processed + failed + filtered + waiting`; `retrying` is the part of `waiting`
 * that had an attempt or stands on the shelf for another.
 */
export interface LaneCounts {
  readonly accepted: number;
  readonly processed: number;
  readonly failed: number;
  readonly filtered: number;
  readonly waiting: number;
  readonly retrying: number;
}
