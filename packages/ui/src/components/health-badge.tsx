import type { ReactElement } from 'react';
import type { DestinationHealth } from '../../../server/src/admin/contract.ts';
import { StatusBadge, type Tone } from './status-badge.tsx';

const TONES: Readonly<Record<DestinationHealth, Tone>> = {
  healthy: 'good',
  degraded: 'warn',
  failing: 'bad',
  paused: 'off',
  idle: 'idle',
  off: 'off',
};

/** How a destination is, with the reason on hover. */
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
