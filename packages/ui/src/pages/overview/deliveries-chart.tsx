import type { ComponentProps, ReactElement } from 'react';
import { StatsChart, type StatsLine } from '../../components/series-chart.tsx';

const LINES: readonly StatsLine[] = [
  { name: 'delivered', color: 'good', of: 'processed' },
  { name: 'retried', color: 'warn', of: 'retried' },
  { name: 'failed', color: 'bad', of: 'failed' },
];

/** A chart of the outcomes of deliveries. */
export function DeliveriesChart(shown: Pick<ComponentProps<typeof StatsChart>, 'range' | 'stats'>): ReactElement {
  return <StatsChart what="Deliveries" lines={LINES} {...shown} />;
}
