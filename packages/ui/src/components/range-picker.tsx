import { Group, SegmentedControl } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { isLive, type Range, rangeKey } from '../format/range.ts';
import { CustomRange } from './custom-range.tsx';

interface RangePickerProps {
  readonly value: Range;
  readonly onChange: (range: Range) => void;
}

/** The last hour, day or week, or any stretch of time. */
export function RangePicker({ value, onChange }: RangePickerProps): ReactElement {
  // Over what is shown: another time that comes by the address ends it.
  const [choosingOver, setChoosingOver] = useState<string | null>(null);
  const shown = rangeKey(value);
  const isCustom = choosingOver === shown || !isLive(value);
  const choose = (chosen: string): void => {
    setChoosingOver(chosen === 'custom' ? shown : null);
    if (chosen === '1h' || chosen === '24h' || chosen === '7d') onChange({ last: chosen });
  };
  const between = (range: Range): void => {
    setChoosingOver(null);
    onChange(range);
  };
  return (
    <Group gap="xs" justify="flex-end">
      {isCustom && <CustomRange value={value} onChange={between} />}
      <SegmentedControl
        aria-label="Time range"
        value={isCustom ? 'custom' : value.last}
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
