import { Group, SegmentedControl } from '@mantine/core';
import type { ReactElement } from 'react';
import { isLive, type Range } from '../format/range.ts';
import { CustomRange } from './custom-range.tsx';
import { useRangeChoice } from './use-range-choice.ts';

interface RangePickerProps {
  readonly value: Range;
  readonly onChange: (range: Range) => void;
}

/** The last hour, day or week, or any stretch of time. */
export function RangePicker({ value, onChange }: RangePickerProps): ReactElement {
  const { isCustom, choose, between } = useRangeChoice(value, onChange);
  return (
    <Group gap="xs" justify="flex-end">
      {isCustom && <CustomRange value={value} onChange={between} />}
      <SegmentedControl
        aria-label="Time range"
        value={isCustom || !isLive(value) ? 'custom' : value.last}
        onChange={choose}
        data={[
          { value: '1h', label: '1 h' },
          { value: '24h', label: '24 h' },
          { value: '7d', label: '7 d' },
          { value: 'custom', label: 'Custom' },
        ]}
      />
    </Group>
  );
}
