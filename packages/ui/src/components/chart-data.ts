import { day, timeOfDay } from '../format/moment.ts';

/** One line over time. */
export interface Series {
  readonly name: string;
  readonly color: 'good' | 'warn' | 'bad' | 'busy';
  /** A value for each moment; null where there is none. */
  readonly values: readonly (number | null)[];
}

export interface ChartData {
  /** Beginnings of the buckets, ISO 8601, ascending. */
  readonly at: readonly string[];
  /** From the bottom to the top. */
  readonly series: readonly Series[];
  /** What of time a value is of: `per minute`; absent where values are no counts. */
  readonly per?: string;
}

/** `per minute`, `per 30 minutes`, `per day`; of steps in seconds. */
export function perStep(step: number): string {
  const [unit, length] = step >= 86_400 ? ['day', 86_400] : step >= 3_600 ? ['hour', 3_600] : ['minute', 60];
  const units = step / length;
  return units === 1 ? `per ${unit}` : `per ${units} ${unit}s`;
}

/** Distances between lines of a chart of counts: there is no half event. */
export const WHOLE_STEPS: readonly number[] = Array.from({ length: 13 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat();

/** Sums of each series and of all that stand before it: the upper edges of areas on top of each other. */
export function stackedEdges(series: readonly Series[]): number[][] {
  const sums: number[] = [];
  return series.map(({ values }) =>
    values.map((value, i) => {
      const sum = (sums[i] ?? 0) + (value ?? 0);
      sums[i] = sum;
      return sum;
    }),
  );
}

/**
 * Labels of a time axis in the viewer's zone: the time of day, with the day below it where that begins
 * or changes; days alone where the steps are whole days.
 *
 * @param moments seconds since the epoch.
 * @param step seconds between them.
 */
export function timeLabels(moments: readonly number[], step: number): string[] {
  let before = '';
  return moments.map((moment) => {
    const at = new Date(moment * 1_000);
    const today = day(at);
    if (step >= 86_400) return today;
    const isNew = today !== before;
    before = today;
    return isNew ? `${timeOfDay(at)}\n${today}` : timeOfDay(at);
  });
}
