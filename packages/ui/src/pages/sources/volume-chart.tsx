import { type ReactElement, useMemo } from 'react';
import type { Stats } from '../../../../server/src/admin/contract.ts';
import { type ChartData, perStep } from '../../components/chart-data.ts';
import { endedBuckets } from '../../components/ended-buckets.ts';
import { SeriesChart } from '../../components/series-chart.tsx';

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
    per: perStep(stats.step),
    series: [{ name: 'accepted', color: 'busy', values: buckets.map(({ accepted }) => accepted) }],
  };
}
