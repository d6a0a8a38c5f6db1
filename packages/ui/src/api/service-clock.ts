/** How long ago the second of an answer's Date header may have begun, in milliseconds: the answer takes time to arrive. */
const TOLERANCE_MS = 5_000;

/** Milliseconds that the service's clock is ahead of the browser's. */
let ahead = 0;

/** The time by the service's clock, in milliseconds since the epoch. All times on the pages are by this clock. */
export function serviceNow(): number {
  return Date.now() + ahead;
}

/** Reads the service's time from an answer's Date header, if there is one. It can't be earlier than that. */
export function noteTime({ headers }: Response): void {
  const late = Date.parse(headers.get('date') ?? '') - serviceNow();
  if (late > 0 || late < -TOLERANCE_MS) ahead += late;
}
