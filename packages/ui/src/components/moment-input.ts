import type { ChangeEvent } from 'react';
import { localInput } from '../format/range.ts';

/** Without a `max`, a year has six digits, and takes those of the hour that is typed next. */
const LAST = '9999-12-31T23:59';

/** Props of a field for a moment (ISO 8601; empty: none) in the viewer's zone. An unchanged moment keeps its exact text. */
export function momentInput(value: string, onChange: (value: string) => void) {
  const at = new Date(value);
  return {
    type: 'datetime-local',
    max: LAST,
    value: Number.isNaN(at.getTime()) ? '' : localInput(at),
    onChange: ({ currentTarget: { value: text } }: ChangeEvent<HTMLInputElement>): void => {
      const typed = new Date(text);
      // A browser may let one type a year that is none.
      onChange(Number.isNaN(typed.getTime()) ? '' : typed.toISOString());
    },
  } as const;
}
