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

/** From accepted to delivered, over time. */
export function LatencyChart({ title, stats }: LatencyChartProps): ReactElement {
  const data = useMemo(() => stats && chartOf(stats), [stats]);
  return <SeriesChart title={title} data={data} format={duration} />;
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
