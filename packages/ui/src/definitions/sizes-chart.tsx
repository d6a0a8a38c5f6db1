import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo, useState } from 'react';
import type { SizePoint } from '../../../server/src/admin/contract.ts';
import { serviceNow } from '../api/service-clock.ts';
import type { ChartData } from '../components/chart-data.ts';
import { ErrorState } from '../components/error-state.tsx';
import { SeriesChart } from '../components/series-chart.tsx';
import type { OfKind } from './kinds.ts';

const RANGES = ['7', '30', '90'];

/** How its size went, hour by hour, up to now. */
export function SizesChart({ kind, of: { id, size } }: OfKind): ReactElement {
  const [days, setDays] = useState('30');
  const { data, error, refetch } = useQuery(kind.api.sizes(id, Number(days)));
  const chart = useMemo(() => data && chartOf(data, size, kind.members), [data, size, kind.members]);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <SeriesChart
      title={`Size, ${days} days`}
      data={chart}
      controls={
        <SegmentedControl
          aria-label="Time range"
          value={days}
          onChange={setDays}
          data={RANGES.map((value) => ({ value, label: `${value} d` }))}
        />
      }
    />
  );
}

function chartOf(points: readonly SizePoint[], size: number, name: string): ChartData {
  const now = new Date(serviceNow()).toISOString();
  // The hour under way has its point already, at its end.
  const shown = [...points.filter(({ at }) => at < now), { at: now, size }];
  return {
    at: shown.map(({ at }) => at),
    series: [{ name, color: 'busy', values: shown.map((point) => point.size) }],
  };
}
