import { Group, SegmentedControl } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { isLive, LONGEST_SHOWN, type Range, searchFor, shownRange } from '../format/range.ts';
import { choices } from './choices.ts';
import { CustomRange, useRangeChoice } from './use-range-choice.tsx';

/** Sets the time range in the page's address: the last hour, day or week, or between two moments. */
export function RangePicker(): ReactElement {
  const value = useRange();
  const navigate = useNavigate();
  const { isCustom, choose, between } = useRangeChoice(
    value,
    (range) => void navigate({ to: '.', search: searchFor(range), replace: true }),
  );
  return (
    <Group gap="xs" justify="flex-end">
      {isCustom && <CustomRange value={value} onChange={between} longest={LONGEST_SHOWN} />}
      <SegmentedControl
        aria-label="Time range"
        value={isCustom || !isLive(value) ? 'custom' : value.last}
        onChange={choose}
        data={choices({ '1h': '1 h', '24h': '24 h', '7d': '7 d', custom: 'Custom' })}
      />
    </Group>
  );
}

/** The time range in the page's address. */
export function useRange(): Range {
  return shownRange(useSearch({ strict: false }));
}
