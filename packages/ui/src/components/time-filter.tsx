import { Select, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { isLive, type Range } from '../format/range.ts';
import { CustomRange, useRangeChoice } from './use-range-choice.tsx';

interface TimeFilterProps {
  readonly label?: string;
  /** Null: any time. */
  readonly value: Range | null;
  readonly onChange: (range: Range | null) => void;
}

const CHOICES = [
  { value: 'any', label: 'Any time' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: 'custom', label: 'Between…' },
];

/** Filters a list by when its items were received or happened: any time, a recent period, or between two moments. */
export function TimeFilter({ label = 'Received', value, onChange }: TimeFilterProps): ReactElement {
  const { isCustom, choose, between } = useRangeChoice(value, onChange);
  const chooseAny = (chosen: string | null): void => {
    choose(chosen);
    if (chosen === 'any') onChange(null);
  };
  return (
    <Stack gap="xs">
      <Select
        label={label}
        w={170}
        data={CHOICES}
        value={isCustom ? 'custom' : value && isLive(value) ? value.last : 'any'}
        onChange={chooseAny}
        allowDeselect={false}
      />
      {isCustom && <CustomRange value={value ?? { last: '24h' }} onChange={between} />}
    </Stack>
  );
}
