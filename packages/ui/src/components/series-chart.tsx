import 'uplot/dist/uPlot.min.css';
// Loads the styles of the lazily loaded plot with the page, to save a request.
import './plot.module.css';
import { Button, Card, Center, Group, Skeleton, Table, Text, Title } from '@mantine/core';
import { IconChartAreaLine, IconTable } from '@tabler/icons-react';
import { type ComponentProps, lazy, type ReactElement, type ReactNode, Suspense, useMemo, useState } from 'react';
import type { Stats, StatsBucket } from '../../../server/src/admin/contract.ts';
import { count } from '../format/number.ts';
import { type Range, rangeName } from '../format/range.ts';
import { type ChartData, perStep, type Series, WHOLE_STEPS } from './chart-data.ts';
import { endedBuckets } from './ended-buckets.ts';
import { Time } from './time.tsx';

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
      {data && !isEmpty && asTable && <SeriesTable title={title} data={data} format={format} />}
      {data && !isEmpty && !asTable && (
        <Suspense fallback={<Skeleton height={HEIGHT} />}>
          <Plot title={title} data={data} stacked={stacked} format={format} steps={steps} height={HEIGHT} />
        </Suspense>
      )}
      {!data && <Skeleton height={HEIGHT} />}
    </Card>
  );
}

interface SeriesTableProps {
  readonly title: string;
  readonly data: ChartData;
  readonly format: (value: number) => string;
}

/** The numbers of a chart as a table, newest first, without empty buckets. */
function SeriesTable({ title, data, format }: SeriesTableProps): ReactElement {
  const rows = data.at
    .map((at, i) => ({ at, values: data.series.map(({ values }) => values[i] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach an area that scrolls.
    <section tabIndex={0} aria-label={`${title}, as a table`} style={{ maxHeight: 360, overflow: 'auto' }}>
      <Table stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">From</Table.Th>
            {data.series.map(({ name }) => (
              <Table.Th key={name} scope="col" ta="end">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ at, values }) => (
            <Table.Tr key={at}>
              <Table.Td>
                <Time at={at} absolute />
              </Table.Td>
              {values.map((value, i) => (
                <Table.Td key={data.series[i]?.name} ta="end">
                  {value === null ? '–' : format(value)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
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
