/**
 * Largest difference, in milliseconds, at which the browser's clock counts as right. An answer's Date header has whole
 * seconds, and the answer takes time to arrive.
 */
const TOLERANCE_MS = 5_000;

/** Milliseconds that the service's clock is ahead of the browser's. */
let ahead = 0;

/** The time by the service's clock, in milliseconds since the epoch. All times on the pages are by this clock. */
export function serviceNow(): number {
  return Date.now() + ahead;
}

/** Reads the service's time from an answer's Date header. */
export function noteTime({ headers }: Response): void {
  const now = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(now) || Math.abs(now - serviceNow()) < TOLERANCE_MS) return;
  ahead = now - Date.now();
}
