const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

/**
 * Reads `500ms`, `5s`, `10m`, `4h`, `7d` as milliseconds; undefined when the text is anything else. A bare number is
 * refused: its writer may have meant seconds.
 */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  const size = UNITS.find(([name]) => name === unit)?.[1];
  if (size === undefined) return undefined;
  const ms = Number(count) * size;
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** The milliseconds of a duration from `least` to `most`, both durations; undefined when the text is anything else. */
export function durationWithin(text: string, least: string, most: string): number | undefined {
  const [ms, from = 0, to = 0] = [text, least, most].map(parseDuration);
  return ms !== undefined && ms >= from && ms <= to ? ms : undefined;
}

/** Writes whole milliseconds in the largest unit that keeps them whole: `90s`, `4h`. `parseDuration` reads it back. */
export function formatDuration(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => ms >= size && ms % size === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}
