/** A row of places in time, `perSecond` of them in any second, of which the first `spent` are taken. */
export interface Pace {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly spent: number;
  readonly perSecond: number;
}

/** The time of the nth free place, from 0. Counted from the row's beginning: a sum of steps would drift. */
export function dueAt({ since, spent, perSecond }: Pace, n: number): number {
  return since + Math.ceil(((spent + n) * 1000) / perSecond);
}

/** Most candidates that are in memory at once, for one replay. */
export const PAGE = 1000;

/** Half a second's worth, at least one, at most a page. */
export function batchSize(perSecond: number): number {
  return Math.max(1, Math.min(PAGE, Math.floor(perSecond / 2)));
}
