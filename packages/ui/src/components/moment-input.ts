import type { ChangeEvent } from 'react';
import { localInput } from '../format/range.ts';

/** Without a `max`, a year has six digits, and takes those of the hour that is typed next. */
const LAST = '9999-12-31T23:59';

/** Props of a field for a moment (ISO 8601; empty: none) in the viewer's zone. An unchanged moment keeps its exact text. */
export function momentInput(value: string, onChange: (value: string) => void) {
  const at = new Date(value);
  const text = Number.isNaN(at.getTime()) ? '' : localInput(at);
  return {
    type: 'datetime-local',
    max: LAST,
    // Not as React's `value`: where a part is missing, React would write that none is there, and Firefox would empty the other parts.
    ref: (input: HTMLInputElement | null): void => {
      if (input && input.value !== text) input.value = text;
    },
    onChange: ({ currentTarget: input }: ChangeEvent<HTMLInputElement>): void => {
      const typed = new Date(input.value);
      if (!Number.isNaN(typed.getTime())) onChange(typed.toISOString());
      else if (input.value === '') onChange('');
      // Some browsers let one type a year of more than four digits.
      else input.value = text;
    },
  } as const;
}
