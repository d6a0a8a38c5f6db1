import { type ReactElement, useMemo } from 'react';
import type { Stats } from '../../../../server/src/admin/contract.ts';
import type { ChartData } from '../../components/chart-data.ts';
import { SeriesChart } from '../../components/series-chart.tsx';
import { duration } from '../../format/number.ts';
import { endedBuckets } from '../overview/ended-buckets.ts';

interface LatencyChartProps {
  readonly title: string;
  readonly stats: Stats | undefined;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Milliseconds that read as round durations. */
const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 6, 12, 24].map((hours) => hours * HOUR),
];

/** From accepted to delivered, over time. */
export function LatencyChart({ title, stats }: LatencyChartProps): ReactElement {
  const data = useMemo(() => stats && chartOf(stats), [stats]);
  return <SeriesChart title={title} data={data} format={duration} steps={STEPS} />;
}

function chartOf(stats: Stats): ChartData {
  const buckets = endedBuckets(stats);
  return {
    at: buckets.map(({ at }) => at),
    series: [
      { name: 'p50', color: 'busy', values: buckets.map(({ p50 }) => p50) },
      { name: 'p95', color: 'warn', values: buckets.map(({ p95 }) => p95) },
    ],
  };
}
