import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { type ReactElement, useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { type ChartData, stackedEdges, timeLabels } from './chart-data.ts';
import classes from './plot.module.css';

interface PlotProps {
  readonly title: string;
  readonly data: ChartData;
  readonly stacked: boolean;
  readonly format: (value: number) => string;
  readonly steps: readonly number[] | undefined;
  readonly height: number;
}

/** The drawing itself. New numbers are put into the chart that stands, so a zoom survives them. */
export function Plot({ title, data, stacked, format, steps, height }: PlotProps): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const shown = useRef(data);
  shown.current = data;
  const scheme = useComputedColorScheme();
  const shape = data.series.map(({ name, color }) => `${name} ${color}`).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: numbers come by the effect below; a new scheme or shape draws anew.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const options = optionsFor(element, shown, { stacked, format, steps, height });
    const chart = new UPlot(
      { ...options, width: element.clientWidth, height },
      columns(shown.current, stacked),
      element,
    );
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [scheme, shape, stacked, height, format, steps]);

  useEffect(() => {
    const chart = plot.current;
    if (chart) chart.setData(columns(data, stacked), !isZoomed(chart));
  }, [data, stacked]);

  return <div ref={box} className={classes['plot']} role="img" aria-label={`${title}: ${summary(data, format)}`} />;
}

/** Seconds. */
const HOUR = 3_600;

/** From the top to the bottom, so that of edges that coincide the lowest is seen: its area has a height there. */
function columns(data: ChartData, stacked: boolean): UPlot.AlignedData {
  const values = stacked ? stackedEdges(data.series).reverse() : data.series.map(({ values }) => [...values]).reverse();
  return [data.at.map((at) => Date.parse(at) / 1_000), ...values] as UPlot.AlignedData;
}

/** Does it show less than all of its data. */
function isZoomed({ scales, data: [moments] }: UPlot): boolean {
  const { min, max } = scales['x'] ?? {};
  if (min === undefined || max === undefined || moments.length === 0) return false;
  return min > (moments[0] ?? min) || max < (moments.at(-1) ?? max);
}

function optionsFor(
  element: HTMLElement,
  shown: { readonly current: ChartData },
  { stacked, format, steps, height }: Pick<PlotProps, 'stacked' | 'format' | 'steps' | 'height'>,
): Omit<UPlot.Options, 'width'> {
  const style = getComputedStyle(element);
  const css = (name: string): string => style.getPropertyValue(name).trim();
  const series = shown.current.series.toReversed();
  const axis: UPlot.Axis = {
    stroke: css('--mantine-color-dimmed'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: css('--plot-grid'), width: 1 },
    ticks: { show: false },
  };
  return {
    height,
    padding: [8, 28, 0, 0],
    scales: {
      // One moment alone would get an axis of years.
      x: { range: ({ data: [moments] }, min, max) => (moments.length === 1 ? [min - HOUR, min + HOUR] : [min, max]) },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.08)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 72,
        values: (_plot, splits, _axis, _space, step) => timeLabels(splits, step),
      },
      {
        ...axis,
        size: 64,
        ...(steps && { incrs: [...steps] }),
        values: (_plot, splits) => onceEach(splits.map(format)),
      },
    ],
    series: [
      {
        label: 'Time',
        value: (_plot, at) => (at === null || at === undefined ? '–' : new Date(at * 1_000).toLocaleString()),
      },
      ...series.map(
        ({ name, color }): UPlot.Series => ({
          label: name,
          stroke: css(`--plot-${color}`),
          ...(stacked && { fill: css(`--plot-${color}-area`) }),
          width: 1.5,
          // One moment alone makes no line.
          points: { show: ({ data: [moments] }) => moments.length === 1, size: 7, fill: css(`--plot-${color}`) },
          value: (_plot, _value, _series, moment) => at(shown.current, name, moment, format),
        }),
      ),
    ],
    bands: stacked ? series.slice(1).map((_, i) => ({ series: [i + 1, i + 2] })) : [],
    cursor: { y: false, points: { size: 7 }, drag: { x: true, y: false } },
    legend: { live: true },
  };
}

/** Steps finer than the format can tell would repeat a label: the first of them stands. */
function onceEach(labels: readonly string[]): string[] {
  return labels.map((label, i) => (label === labels[i - 1] ? '' : label));
}

/** In the legend stands what a series itself has at the cursor, not the edge of its area. */
function at({ series }: ChartData, name: string, moment: number | null, format: (value: number) => string): string {
  const value = moment === null ? null : series.find((one) => one.name === name)?.values[moment];
  return value === null || value === undefined ? '–' : format(value);
}

function summary({ series }: ChartData, format: (value: number) => string): string {
  return series
    .map(({ name, values }) => {
      const known = values.filter((value) => value !== null);
      return known.length === 0 ? `${name}: nothing` : `${name}: at most ${format(Math.max(...known))}`;
    })
    .join('; ');
}
