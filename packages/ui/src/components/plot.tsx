import { useComputedColorScheme } from '@mantine/core';
import { type CSSProperties, type ReactElement, useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import { localMinute } from '../format/moment.ts';
import { alone, type ChartData, stackedEdges, timeLabels } from './chart-data.ts';
import classes from './plot.module.css';

interface PlotProps {
  readonly title: string;
  readonly data: ChartData;
  readonly stacked: boolean;
  readonly format: (value: number) => string;
  readonly steps: readonly number[];
  /** Pixels, where the text of the browser has its usual size. */
  readonly height: number;
}

/** Size of that text, in pixels. */
const USUAL = 16;

/** The drawing of a chart. New numbers go into the existing chart, so that its zoom is kept. */
export function Plot({ title, data, stacked, format, steps, height }: PlotProps): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const [moment, setMoment] = useState<number | null>(null);
  const shown = useRef(data);
  shown.current = data;
  const scheme = useComputedColorScheme();
  const shape = data.series.map(({ name, color }) => `${name} ${color}`).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect below sets new numbers; only a new scheme or shape needs a new chart.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const size = (): { width: number; height: number } => ({
      width: element.clientWidth,
      height: (height * rem) / USUAL,
    });
    const options = optionsFor(element, shown, setMoment, { stacked, format, steps, rem });
    const chart = new UPlot({ ...options, ...size() }, columns(shown.current, stacked), element);
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize(size()));
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

  return (
    <div className={classes['plot']}>
      <div ref={box} role="img" aria-label={`${title}: ${summary(data, format)}`} />
      <Legend data={data} moment={moment} format={format} />
    </div>
  );
}

interface LegendProps extends Pick<PlotProps, 'data' | 'format'> {
  /** The moment under the pointer; null if the pointer is elsewhere. */
  readonly moment: number | null;
}

/** Names the colours. Under the pointer also the time and each series' own value, not the upper edge of its area. */
function Legend({ data, moment, format }: LegendProps): ReactElement {
  const at = moment === null ? undefined : data.at[moment];
  return (
    <div className={classes['legend']}>
      {data.series.map(({ name, color, values }) => {
        const value = moment === null ? null : values[moment];
        return (
          <span key={name}>
            <span className={classes['marker']} style={{ '--ink': `var(--plot-${color})` } as CSSProperties} />
            {name}
            {at !== undefined && `: ${value === null || value === undefined ? '–' : format(value)}`}
          </span>
        );
      })}
      {at !== undefined && <span>{localMinute(new Date(at))}</span>}
    </div>
  );
}

/** Seconds. */
const HOUR = 3_600;

/** The columns are drawn from the top area to the bottom one. So if edges coincide, the lowest area, which has a height there, is seen. */
function columns(data: ChartData, stacked: boolean): UPlot.AlignedData {
  const values = stacked ? stackedEdges(data.series).reverse() : data.series.map(({ values }) => [...values]).reverse();
  return [data.at.map((at) => Date.parse(at) / 1_000), ...values] as UPlot.AlignedData;
}

interface Drawing extends Pick<PlotProps, 'stacked' | 'format' | 'steps'> {
  /** The text size that the browser is set to, in pixels: a canvas knows no other unit. */
  readonly rem: number;
}

/** Whether the chart shows only a part of its data. */
function isZoomed({ scales, data: [moments] }: UPlot): boolean {
  const { min, max } = scales['x'] ?? {};
  if (min === undefined || max === undefined || moments.length === 0) return false;
  return min > (moments[0] ?? min) || max < (moments.at(-1) ?? max);
}

function optionsFor(
  element: HTMLElement,
  shown: { readonly current: ChartData },
  point: (moment: number | null) => void,
  { stacked, format, steps, rem }: Drawing,
): Omit<UPlot.Options, 'width' | 'height'> {
  const style = getComputedStyle(element);
  const css = (name: string): string => style.getPropertyValue(name).trim();
  const series = shown.current.series.toReversed();
  const axis: UPlot.Axis = {
    stroke: css('--mantine-color-dimmed'),
    font: `${0.75 * rem}px ${style.fontFamily}`,
    grid: { stroke: css('--plot-grid'), width: 1 },
    ticks: { show: false },
  };
  return {
    padding: [0.5 * rem, 1.75 * rem, 0, 0],
    scales: {
      // For a single moment uPlot would choose an axis of years.
      x: { range: ({ data: [moments] }, min, max) => (moments.length === 1 ? [min - HOUR, min] : [min, max]) },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.08)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 3.125 * rem,
        space: 4.5 * rem,
        values: (_plot, splits, _axis, _space, step) => timeLabels(splits, step),
      },
      {
        ...axis,
        size: 4 * rem,
        incrs: [...steps],
        values: (_plot, splits) => onceEach(splits.map(format)),
      },
    ],
    series: [
      {},
      ...series.map(
        ({ name, color }): UPlot.Series => ({
          label: name,
          stroke: css(`--plot-${color}`),
          ...(stacked && { fill: css(`--plot-${color}-area`) }),
          width: 1.5,
          // A moment without a neighbour has no line, so its point is shown.
          points: {
            show: false,
            filter: ({ data }, shownAt) => alone(data[shownAt] ?? []),
            size: 7,
            fill: css(`--plot-${color}`),
          },
        }),
      ),
    ],
    bands: stacked ? series.slice(1).map((_, i) => ({ series: [i + 1, i + 2] })) : [],
    cursor: { y: false, points: { size: 7 }, drag: { x: true, y: false } },
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? null)] },
    legend: { show: false },
  };
}

/** If steps are finer than the format, labels repeat: only the first of equal labels is kept. */
function onceEach(labels: readonly string[]): string[] {
  return labels.map((label, i) => (label === labels[i - 1] ? '' : label));
}

function summary({ series }: ChartData, format: (value: number) => string): string {
  return series
    .map(({ name, values }) => {
      const known = values.filter((value) => value !== null);
      return known.length === 0 ? `${name}: nothing` : `${name}: at most ${format(Math.max(...known))}`;
    })
    .join('; ');
}
