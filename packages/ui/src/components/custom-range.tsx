import { Button, Group, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { serviceNow } from '../api/service-clock.ts';
import { boundsOf, localInput, type Range } from '../format/range.ts';

interface CustomRangeProps {
  readonly value: Range;
  readonly onChange: (range: Range) => void;
  /** Milliseconds; any length when absent. */
  readonly longest?: number;
}

/**
 * Two moments in the viewer's zone, by the browser's own pickers; takes effect by its button or by Enter. It is no form: it
 * stands inside of forms, and browsers send one inside of another nowhere but to the server.
 */
export function CustomRange({ value, onChange, longest = Number.POSITIVE_INFINITY }: CustomRangeProps): ReactElement {
  const shown = JSON.stringify(value);
  const [bounds, setBounds] = useState(() => boundsFrom(value));
  // Another time that comes by the address takes the place of what was typed.
  if (bounds.of !== shown) setBounds(boundsFrom(value));
  const [from, to] = [momentOf(bounds.from), momentOf(bounds.to)];
  const isLong = to.getTime() - from.getTime() > longest;
  const isRange = from < to && !isLong;
  const show = (): void => {
    if (isRange) onChange({ from: from.toISOString(), to: to.toISOString() });
  };
  const moment = (end: 'from' | 'to', label: string): ReactElement => (
    <TextInput
      type="datetime-local"
      aria-label={label}
      error={isLong && end === 'from' && `At most ${longest / DAY} days before the end`}
      value={bounds[end].text}
      onChange={({ currentTarget }) => setBounds({ ...bounds, [end]: { ...bounds[end], text: currentTarget.value } })}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        show();
      }}
    />
  );
  return (
    <Group gap="xs">
      {moment('from', 'From')}
      {moment('to', 'To')}
      <Button variant="default" disabled={!isRange} onClick={show}>
        Show
      </Button>
    </Group>
  );
}

const DAY = 24 * 60 * 60 * 1000;

/** One end of the time: as it was shown first, and what its field says now. */
interface Bound {
  readonly first: Date;
  readonly text: string;
}

function boundsFrom(value: Range): Record<'from' | 'to', Bound> & { readonly of: string } {
  const { from, to } = boundsOf(value, serviceNow());
  return { of: JSON.stringify(value), from: boundAt(new Date(from)), to: boundAt(new Date(to)) };
}

function boundAt(first: Date): Bound {
  return { first, text: localInput(first) };
}

/**
 * What was not typed over is the moment that it was: its text leaves out the seconds, and of an hour that the clocks repeat,
 * which of the two. A year of six digits, which browsers let one type, is no moment.
 */
function momentOf({ first, text }: Bound): Date {
  return text === localInput(first) ? first : new Date(text);
}
