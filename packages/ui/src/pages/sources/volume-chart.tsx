import { type ReactElement, useMemo } from 'react';
import type { Stats } from '../../../../server/src/admin/contract.ts';
import type { ChartData } from '../../components/chart-data.ts';
import { SeriesChart } from '../../components/series-chart.tsx';
import { endedBuckets } from '../overview/ended-buckets.ts';

interface VolumeChartProps {
  readonly title: string;
  readonly stats: Stats | undefined;
}

/** Calls accepted over time. */
export function VolumeChart({ title, stats }: VolumeChartProps): ReactElement {
  const data = useMemo(() => stats && chartOf(stats), [stats]);
  return <SeriesChart title={title} data={data} stacked />;
}

function chartOf(stats: Stats): ChartData {
  const buckets = endedBuckets(stats);
  return {
    at: buckets.map(({ at }) => at),
    series: [{ name: 'accepted', color: 'busy', values: buckets.map(({ accepted }) => accepted) }],
  };
}
