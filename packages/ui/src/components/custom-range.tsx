import { Button, Group, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { boundsOf, localInput, type Range } from '../format/range.ts';

interface CustomRangeProps {
  readonly value: Range;
  readonly onChange: (range: Range) => void;
}

/**
 * Two moments in the viewer's zone, by the browser's own pickers; takes effect by its button or by Enter. It is no form: it
 * stands inside of forms, and browsers send one inside of another nowhere but to the server.
 */
export function CustomRange({ value, onChange }: CustomRangeProps): ReactElement {
  const [bounds, setBounds] = useState(() => {
    const { from, to } = boundsOf(value, Date.now());
    return { from: localInput(new Date(from)), to: localInput(new Date(to)) };
  });
  const isRange = bounds.from !== '' && bounds.from < bounds.to;
  const show = (): void => {
    if (isRange) onChange({ from: new Date(bounds.from).toISOString(), to: new Date(bounds.to).toISOString() });
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
