import { ThemeIcon } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';

interface OutcomeMarkProps {
  readonly good: boolean;
  /** What it means, for screen readers: `passed`. */
  readonly label: string;
  /** In px. Default 22. */
  readonly size?: number;
}

/** A tick or a cross in a circle. */
export function OutcomeMark({ good, label, size = 22 }: OutcomeMarkProps): ReactElement {
  const Icon = good ? IconCheck : IconX;
  return (
    <ThemeIcon variant="light" color={good ? 'teal' : 'red'} size={size} radius="xl" role="img" aria-label={label}>
      <Icon size={14} stroke={2.4} aria-hidden />
    </ThemeIcon>
  );
}
