/** A browser's clock that differs by less is taken to be right: an answer has its time in whole seconds, and is on its way for a while. */
const TOLERANCE_MS = 5_000;

/** By how much the service's clock is ahead of the browser's, milliseconds. */
let ahead = 0;

/** The time by the service's clock, milliseconds since the epoch: all that pages show happened by it. */
export function serviceNow(): number {
  return Date.now() + ahead;
}

/** Takes the time that an answer was sent at. */
export function noteTime({ headers }: Response): void {
  const now = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(now) || Math.abs(now - serviceNow()) < TOLERANCE_MS) return;
  ahead = now - Date.now();
}
