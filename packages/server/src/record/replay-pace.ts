/** Times for messages, `perSecond` of them in any second; the first `spent` are used. */
export interface Pace {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly spent: number;
  readonly perSecond: number;
}

/** The nth unused time, from 0. Computed from the beginning: a sum of steps would drift. */
export function dueAt({ since, spent, perSecond }: Pace, n: number): number {
  return since + Math.ceil(((spent + n) * 1000) / perSecond);
}

/** Most candidates of one replay in memory at once. */
export const PAGE = 1000;

/** Half a second's number of messages; at least one, at most a page. */
export function batchSize(perSecond: number): number {
  return Math.max(1, Math.min(PAGE, Math.floor(perSecond / 2)));
}
