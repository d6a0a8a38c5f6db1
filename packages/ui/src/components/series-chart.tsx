import 'uplot/dist/uPlot.min.css';
// The styles of what is loaded later come with the page: they are no request of their own.
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
  /** Undefined while it is on its way. */
  readonly data: ChartData | undefined;
  /** Areas on top of each other, for what adds up; else lines. */
  readonly stacked?: boolean;
  /** How a value reads. Default: a whole number. */
  readonly format?: (value: number) => string;
  /** Distances that lines across the chart may have, ascending; one is chosen. Default: round whole numbers. */
  readonly steps?: readonly number[];
  /** Beside the title: a `RangePicker`. */
  readonly controls?: ReactNode;
}

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }));

/** px. */
const HEIGHT = 260;

/**
 * A chart in a card: dragging zooms, a double click shows all again. The same numbers are one button away as a table, for
 * those who can't see the chart or want to copy them.
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

/** A chart's numbers, newest first; buckets where nothing happened are left out. */
function SeriesTable({ title, data, format }: SeriesTableProps): ReactElement {
  const rows = data.at
    .map((at, i) => ({ at, values: data.series.map(({ values }) => values[i] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached without a mouse.
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
