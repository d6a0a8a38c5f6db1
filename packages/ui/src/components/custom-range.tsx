import { Button, Group, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { serviceNow } from '../api/service-clock.ts';
import { boundsOf, type Range } from '../format/range.ts';
import { momentInput } from './moment-input.ts';

interface CustomRangeProps {
  readonly value: Range;
  readonly onChange: (range: Range) => void;
  /** Longest range in milliseconds. Default: any length. */
  readonly longest?: number;
}

/**
 * Two moments in the viewer's zone, chosen with the browser's own pickers. Its button or Enter applies them. It is not a
 * form element, because it stands inside forms: a browser would submit the outer form to the server.
 */
export function CustomRange({ value, onChange, longest = Number.POSITIVE_INFINITY }: CustomRangeProps): ReactElement {
  const shown = JSON.stringify(value);
  const [bounds, setBounds] = useState({ of: '', from: '', to: '' });
  // A new range in the address replaces what was typed.
  if (bounds.of !== shown) setBounds({ of: shown, ...boundsOf(value, serviceNow()) });
  const [from, to] = [new Date(bounds.from), new Date(bounds.to)];
  const flaws = flawsOf(from, to, longest);
  const isRange = flaws.from === null && flaws.to === null;
  const show = (): void => {
    if (isRange) onChange({ from: from.toISOString(), to: to.toISOString() });
  };
  const moment = (end: 'from' | 'to', label: string): ReactElement => (
    <TextInput
      {...momentInput(bounds[end], (at) => setBounds({ ...bounds, [end]: at }))}
      aria-label={label}
      error={flaws[end]}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        show();
      }}
    />
  );
  return (
    <Group gap="xs" align="flex-start">
      {moment('from', 'From')}
      {moment('to', 'To')}
      <Button variant="default" disabled={!isRange} onClick={show}>
        Show
      </Button>
    </Group>
  );
}

const DAY = 24 * 60 * 60 * 1000;

/** What is wrong at each end; null where nothing is. */
function flawsOf(from: Date, to: Date, longest: number): Record<'from' | 'to', string | null> {
  const flaws = { from: gapOf(from), to: gapOf(to) };
  if (from >= to) flaws.to = 'Must be later than the beginning';
  if (to.getTime() - from.getTime() > longest) flaws.from = `At most ${longest / DAY} days before the end`;
  return flaws;
}

function gapOf(at: Date): string | null {
  return Number.isNaN(at.getTime()) ? 'Give a date and a time' : null;
}
