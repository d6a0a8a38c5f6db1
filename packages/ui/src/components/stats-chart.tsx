import { type ComponentProps, type ReactElement, useMemo } from 'react';
import type { Stats, StatsBucket } from '../../../server/src/admin/contract.ts';
import { type Range, rangeName } from '../format/range.ts';
import { perStep, type Series } from './chart-data.ts';
import { endedBuckets } from './ended-buckets.ts';
import { SeriesChart } from './series-chart.tsx';

/** A series, and the value of each bucket that it shows. */
export interface StatsLine extends Pick<Series, 'name' | 'color'> {
  readonly of: Exclude<keyof StatsBucket, 'at'>;
}

interface StatsChartProps {
  /** `Deliveries` */
  readonly what: string;
  readonly range: Range;
  /** Undefined while they are on their way. */
  readonly stats: Stats | undefined;
  /** From the bottom to the top. */
  readonly lines: readonly StatsLine[];
  /** How values read that are no counts. Counts are stacked, and said to be per step. */
  readonly measure?: Pick<ComponentProps<typeof SeriesChart>, 'format' | 'steps'>;
}

/** Statistics over time. */
export function StatsChart({ what, range, stats, lines, measure }: StatsChartProps): ReactElement {
  const isCount = measure === undefined;
  const data = useMemo(() => {
    if (!stats) return undefined;
    const buckets = endedBuckets(stats);
    return {
      at: buckets.map(({ at }) => at),
      series: lines.map(({ of, ...line }) => ({ ...line, values: buckets.map((bucket) => bucket[of]) })),
      ...(isCount && { per: perStep(stats.step) }),
    };
  }, [stats, lines, isCount]);
  const time = rangeName(range).replace(/^the /, '');
  return <SeriesChart title={`${what}, ${time}`} data={data} stacked={isCount} {...measure} />;
}
