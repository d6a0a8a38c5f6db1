import 'uplot/dist/uPlot.min.css';
// Loads the styles of the lazily loaded plot with the page, to save a request.
import './plot.module.css';
import { Button, Card, Center, Group, Skeleton, Text, Title } from '@mantine/core';
import { IconChartAreaLine, IconTable } from '@tabler/icons-react';
import { type ComponentProps, lazy, type ReactElement, type ReactNode, Suspense, useMemo, useState } from 'react';
import type { Stats, StatsBucket } from '../../../server/src/admin/contract.ts';
import { count } from '../format/number.ts';
import { type Range, rangeName } from '../format/range.ts';
import { lazyPart } from '../lazy.ts';
import { type ChartData, perStep, type Series, WHOLE_STEPS } from './chart-data.ts';
import { endedBuckets } from './ended-buckets.ts';

interface SeriesChartProps {
  readonly title: string;
  /** Undefined while it loads. */
  readonly data: ChartData | undefined;
  /** Stacks the series as areas, for values that add up. Default: lines. */
  readonly stacked?: boolean;
  /** The text of a value. Default: a whole number. */
  readonly format?: (value: number) => string;
  /** Possible distances between grid lines, ascending; the chart chooses one. Default: round whole numbers. */
  readonly steps?: readonly number[];
  /** Shown beside the title: a `RangePicker`. */
  readonly controls?: ReactNode;
}

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }));
const SeriesTable = lazyPart(async () => (await import('./series-table.tsx')).SeriesTable);

/** Height in px. */
const HEIGHT = 260;

/**
 * A chart in a card. Dragging zooms in, a double click zooms out. A button shows the same numbers as a table, for those
 * who can't see the chart or want to copy them.
 */
export function SeriesChart(props: SeriesChartProps): ReactElement {
  const { title, data, stacked = false, format = count, steps = WHOLE_STEPS, controls } = props;
  const [asTable, setAsTable] = useState(false);
  const isEmpty = data?.series.every(({ values }) => values.every((value) => value === null));
  return (
    <Card component="section" aria-label={title}>
      <Group justify="space-between" mb="sm" gap="xs">
        <div>
          <Title>{title}</Title>
          {data?.per && <Text variant="aside">{data.per}</Text>}
        </div>
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={asTable ? <IconChartAreaLine size={16} aria-hidden /> : <IconTable size={16} aria-hidden />}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? 'As a chart' : 'As a table'}
          </Button>
          {controls}
        </Group>
      </Group>
      {isEmpty && (
        <Center h={HEIGHT} c="dimmed" fz="sm">
          Nothing was measured in this time.
        </Center>
      )}
      {data && !isEmpty && (
        <Suspense fallback={<Skeleton height={HEIGHT} />}>
          {asTable ? (
            <SeriesTable title={title} data={data} format={format} />
          ) : (
            <Plot title={title} data={data} stacked={stacked} format={format} steps={steps} height={HEIGHT} />
          )}
        </Suspense>
      )}
      {!data && <Skeleton height={HEIGHT} />}
    </Card>
  );
}

/** A series, with how to read its value from a bucket. */
export interface StatsLine extends Pick<Series, 'name' | 'color'> {
  readonly of: Exclude<keyof StatsBucket, 'at'>;
}

interface StatsChartProps {
  /** `Deliveries` */
  readonly what: string;
  readonly range: Range;
  /** Undefined while they load. */
  readonly stats: Stats | undefined;
  /** In stacking order, the lowest first. */
  readonly lines: readonly StatsLine[];
  /** The format of values that are not counts. Counts are stacked, and labelled with their step. */
  readonly measure?: Pick<ComponentProps<typeof SeriesChart>, 'format' | 'steps'>;
}

/** A chart of statistics over time. */
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
