import { Group, SegmentedControl } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { isLive, type Range } from '../format/range.ts';
import { CustomRange } from './custom-range.tsx';

interface RangePickerProps {
  readonly value: Range;
  readonly onChange: (range: Range) => void;
}

/** The last hour, day or week, or any stretch of time. */
export function RangePicker({ value, onChange }: RangePickerProps): ReactElement {
  const [choosing, setChoosing] = useState(!isLive(value));
  const choose = (chosen: string): void => {
    setChoosing(chosen === 'custom');
    if (chosen === '1h' || chosen === '24h' || chosen === '7d') onChange({ last: chosen });
  };
  return (
    <Group gap="xs" justify="flex-end">
      {choosing && <CustomRange value={value} onChange={onChange} />}
      <SegmentedControl
        aria-label="Time range"
        value={choosing || !isLive(value) ? 'custom' : value.last}
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
