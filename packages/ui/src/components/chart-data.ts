import { day, timeOfDay } from '../format/moment.ts';

/** One line over time. */
export interface Series {
  readonly name: string;
  readonly color: 'good' | 'warn' | 'bad' | 'busy';
  /** One value for each moment; null if there is none. */
  readonly values: readonly (number | null)[];
}

export interface ChartData {
  /** Start times of the buckets, ISO 8601, ascending. */
  readonly at: readonly string[];
  /** In stacking order, the lowest first. */
  readonly series: readonly Series[];
  /** The time that a count covers: `per minute`. Absent if the values are not counts. */
  readonly per?: string;
}

/** `per minute`, `per 30 minutes` or `per day`. `step` is in seconds. */
export function perStep(step: number): string {
  const [unit, length] = step >= 86_400 ? ['day', 86_400] : step >= 3_600 ? ['hour', 3_600] : ['minute', 60];
  const units = step / length;
  return units === 1 ? `per ${unit}` : `per ${units} ${unit}s`;
}

/** Possible distances between the grid lines of a chart of counts: whole numbers only. */
export const WHOLE_STEPS: readonly number[] = Array.from({ length: 13 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat();

/** For each series, its values plus those of all series before it: the upper edges of stacked areas. */
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

/** The places of the values with none before and none after them. */
export function alone(values: ArrayLike<number | null | undefined>): number[] {
  const isKnown = (i: number): boolean => typeof values[i] === 'number';
  return Array.from(values, (_, i) => i).filter((i) => isKnown(i) && !isKnown(i - 1) && !isKnown(i + 1));
}

/**
 * Labels of a time axis in the viewer's zone: the time of day, with the date below it on the first label and where the
 * date changes. Only dates if the steps are whole days.
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
