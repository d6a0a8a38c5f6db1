import type { ReactElement, ReactNode } from 'react';
import type { DestinationHealth } from '../../../server/src/admin/contract.ts';
import classes from './status-badge.module.css';

/** `busy` is running, `idle` has nothing to do, `off` was switched off. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'idle' | 'off';

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
    <span className={classes['badge']} data-tone={tone} data-signed={sign !== undefined} title={title}>
      {sign}
      {children}
    </span>
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
