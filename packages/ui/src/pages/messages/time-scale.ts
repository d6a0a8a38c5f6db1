const TICKS: readonly number[] = [
  0, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 14_400_000, 86_400_000, 604_800_000,
];

/** Below this, milliseconds, the scale is even; beyond it, each doubling takes the same room. */
const EVEN = 50;

/** Least distance of two ticks, as a part of the line. */
const ROOM = 0.16;

/** Where a moment stands between the beginning (0) and the end (1) of a time line; both in milliseconds since its beginning. */
export function placeOf(at: number, end: number): number {
  if (end <= 0) return 0;
  const inside = Math.min(Math.max(at, 0), end);
  return Math.log1p(inside / EVEN) / Math.log1p(end / EVEN);
}

/** Round moments to be named on a time line: those that leave each other room. */
export function ticksUpTo(end: number): number[] {
  const ticks: number[] = [];
  for (const tick of TICKS) {
    const last = ticks.at(-1);
    if (tick <= end && (last === undefined || placeOf(tick, end) - placeOf(last, end) >= ROOM)) ticks.push(tick);
  }
  return ticks;
}
