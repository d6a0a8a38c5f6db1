const TICKS: readonly number[] = [
  0, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 14_400_000, 86_400_000, 604_800_000,
];

/** Up to this many milliseconds the scale is linear. Beyond, each doubling takes the same space. */
const EVEN = 50;

/** Least distance between two ticks, as a fraction of the line. */
const ROOM = 0.16;

/** The position of a moment on a time line, from 0 (beginning) to 1 (end). Both arguments are milliseconds since the beginning. */
export function placeOf(at: number, end: number): number {
  if (end <= 0) return 0;
  const inside = Math.min(Math.max(at, 0), end);
  return Math.log1p(inside / EVEN) / Math.log1p(end / EVEN);
}

/** Round moments for the ticks of a time line, far enough apart for their labels. */
export function ticksUpTo(end: number): number[] {
  const ticks: number[] = [];
  for (const tick of TICKS) {
    const last = ticks.at(-1);
    if (tick <= end && (last === undefined || placeOf(tick, end) - placeOf(last, end) >= ROOM)) ticks.push(tick);
  }
  return ticks;
}
