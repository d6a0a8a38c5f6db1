import { Button, Group, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { boundsOf, localInput, type Range, rangeKey } from '../format/range.ts';

interface CustomRangeProps {
  readonly value: Range;
  readonly onChange: (range: Range) => void;
}

/**
 * Two moments in the viewer's zone, by the browser's own pickers; takes effect by its button or by Enter. It is no form: it
 * stands inside of forms, and browsers send one inside of another nowhere but to the server.
 */
export function CustomRange({ value, onChange }: CustomRangeProps): ReactElement {
  const shown = rangeKey(value);
  const [bounds, setBounds] = useState({ of: shown, ...inputsOf(value) });
  // Another time that comes by the address takes the place of what was typed.
  if (bounds.of !== shown) setBounds({ of: shown, ...inputsOf(value) });
  // A year of six digits, which browsers let one type, is no time.
  const [from, to] = [new Date(bounds.from), new Date(bounds.to)];
  const isRange = from < to;
  const show = (): void => {
    if (isRange) onChange({ from: from.toISOString(), to: to.toISOString() });
  };
  const moment = (end: 'from' | 'to', label: string): ReactElement => (
    <TextInput
      type="datetime-local"
      aria-label={label}
      value={bounds[end]}
      onChange={(event) => setBounds({ ...bounds, [end]: event.currentTarget.value })}
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

function inputsOf(value: Range): Record<'from' | 'to', string> {
  const { from, to } = boundsOf(value, Date.now());
  return { from: localInput(new Date(from)), to: localInput(new Date(to)) };
}
