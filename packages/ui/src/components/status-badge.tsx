import { Badge } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import type { DestinationHealth } from '../../../server/src/admin/contract.ts';

/** `busy` is running, `idle` has nothing to do, `off` was switched off. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'idle' | 'off';

/** Mantine's colour of each tone. */
export const COLORS: Readonly<Record<Tone, string>> = {
  good: 'teal',
  busy: 'indigo',
  warn: 'yellow',
  bad: 'red',
  idle: 'gray.5',
  off: 'gray',
};

interface StatusBadgeProps {
  readonly tone: Tone;
  /** The state in words: many people can't tell colours apart. */
  readonly children: ReactNode;
  /** An icon in place of the dot. */
  readonly sign?: ReactNode;
  /** The reason, shown on hover. */
  readonly title?: string | undefined;
}

export function StatusBadge({ tone, children, title, sign }: StatusBadgeProps): ReactElement {
  return (
    <Badge
      component="span"
      variant={sign === undefined ? 'dot' : 'default'}
      color={COLORS[tone]}
      leftSection={sign}
      miw="max-content"
      data-tone={tone}
      title={title}
    >
      {children}
    </Badge>
  );
}

const TONES: Readonly<Record<DestinationHealth, Tone>> = {
  healthy: 'good',
  degraded: 'warn',
  failing: 'bad',
  paused: 'off',
  idle: 'idle',
  off: 'off',
};

/** The health of a destination, with the reason on hover. */
export function HealthBadge(props: {
  readonly health: DestinationHealth;
  readonly reason: string | null;
}): ReactElement {
  return (
    <StatusBadge tone={TONES[props.health]} title={props.reason ?? undefined}>
      {props.health}
    </StatusBadge>
  );
}
