import { Select, Stack } from '@mantine/core';
import { lazy, type ReactElement, Suspense, useState } from 'react';
import { isLive, type Range, rangeKey } from '../format/range.ts';

interface TimeFilterProps {
  /** Null: any time. */
  readonly value: Range | null;
  readonly onChange: (range: Range | null) => void;
}

const CustomRange = lazy(async () => ({ default: (await import('./custom-range.tsx')).CustomRange }));

const CHOICES = [
  { value: 'any', label: 'Any time' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: 'custom', label: 'Between…' },
];

/** When a listed thing was received: any time, lately, or between two moments. */
export function TimeFilter({ value, onChange }: TimeFilterProps): ReactElement {
  // Over what is shown: another time that comes by the address ends it.
  const [choosingOver, setChoosingOver] = useState<string | null>(null);
  const shown = rangeKey(value);
  const isCustom = choosingOver === shown || (value !== null && !isLive(value));
  const choose = (chosen: string | null): void => {
    setChoosingOver(chosen === 'custom' ? shown : null);
    if (chosen === '1h' || chosen === '24h' || chosen === '7d') onChange({ last: chosen });
    else if (chosen === 'any') onChange(null);
  };
  const between = (range: Range): void => {
    setChoosingOver(null);
    onChange(range);
  };
  return (
    <Stack gap="xs">
      <Select
        label="Received"
        w={170}
        data={CHOICES}
        value={isCustom ? 'custom' : value && isLive(value) ? value.last : 'any'}
        onChange={choose}
        allowDeselect={false}
      />
      {isCustom && (
        <Suspense>
          <CustomRange value={value ?? { last: '24h' }} onChange={between} />
        </Suspense>
      )}
    </Stack>
  );
}
