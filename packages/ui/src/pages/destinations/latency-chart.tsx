import type { ComponentProps, ReactElement } from 'react';
import { StatsChart, type StatsLine } from '../../components/stats-chart.tsx';
import { duration } from '../../format/number.ts';

const LINES: readonly StatsLine[] = [
  { name: 'p50', color: 'busy', of: 'p50' },
  { name: 'p95', color: 'warn', of: 'p95' },
];

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

const MEASURE = { format: duration, steps: STEPS };

/** From accepted to delivered, over time. */
export function LatencyChart(shown: Pick<ComponentProps<typeof StatsChart>, 'range' | 'stats'>): ReactElement {
  return <StatsChart what="Latency" lines={LINES} measure={MEASURE} {...shown} />;
}
