import { Box, Group } from '@mantine/core';
import { type ComponentProps, type ReactElement, Suspense, useState } from 'react';
import { isLive, type Range } from '../format/range.ts';
import { lazyPart } from '../lazy.ts';

const LazyCustomRange = lazyPart(async () => (await import('./custom-range.tsx')).CustomRange);

/** Widths of the range's parts, in pixels. */
const WIDTHS = Object.entries({ from: 235, to: 235, show: 77 });

/** The choice of two moments. Few people need it: its code is loaded on first use, and its space is reserved meanwhile. */
export function CustomRange(props: ComponentProps<typeof LazyCustomRange>): ReactElement {
  return (
    <Suspense
      fallback={
        <Group gap="xs">
          {WIDTHS.map(([part, width]) => (
            <Box key={part} w={width} h={36} />
          ))}
        </Group>
      }
    >
      <LazyCustomRange {...props} />
    </Suspense>
  );
}

interface RangeChoice {
  /** True if the range is between two moments, or these are being chosen. */
  readonly isCustom: boolean;
  /** `1h`, `24h`, `7d`, or `custom`, which only opens the fields for two moments. */
  readonly choose: (chosen: string | null) => void;
  readonly between: (range: Range) => void;
}

/** The choice of a time range: a recent period, or between two moments. A new range in the address closes the fields for two moments. */
export function useRangeChoice(value: Range | null, onChange: (range: Range) => void): RangeChoice {
  const [choosingOver, setChoosingOver] = useState<string | null>(null);
  const shown = JSON.stringify(value);
  return {
    isCustom: choosingOver === shown || (value !== null && !isLive(value)),
    choose(chosen) {
      setChoosingOver(chosen === 'custom' ? shown : null);
      if (chosen === '1h' || chosen === '24h' || chosen === '7d') onChange({ last: chosen });
    },
    between(range) {
      setChoosingOver(null);
      onChange(range);
    },
  };
}
