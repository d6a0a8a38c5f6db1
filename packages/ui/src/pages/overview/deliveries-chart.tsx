import { type ReactElement, useMemo } from 'react';
import type { Stats } from '../../../../server/src/admin/contract.ts';
import { type ChartData, perStep } from '../../components/chart-data.ts';
import { endedBuckets } from '../../components/ended-buckets.ts';
import { SeriesChart } from '../../components/series-chart.tsx';

interface DeliveriesChartProps {
  readonly title: string;
  readonly stats: Stats | undefined;
}

/** What became of deliveries over time, stacked. */
export function DeliveriesChart({ title, stats }: DeliveriesChartProps): ReactElement {
  const data = useMemo(() => stats && chartOf(stats), [stats]);
  return <SeriesChart title={title} data={data} stacked />;
}

function chartOf(stats: Stats): ChartData {
  const buckets = endedBuckets(stats);
  return {
    at: buckets.map(({ at }) => at),
    per: perStep(stats.step),
    series: [
      { name: 'delivered', color: 'good', values: buckets.map(({ processed }) => processed) },
      { name: 'retried', color: 'warn', values: buckets.map(({ retried }) => retried) },
      { name: 'failed', color: 'bad', values: buckets.map(({ failed }) => failed) },
    ],
  };
}
