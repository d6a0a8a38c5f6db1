import { Alert } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { DestinationHealth, OverviewDestination } from '../../../../server/src/admin/contract.ts';

const NEXT: Readonly<Record<Exclude<DestinationHealth, 'healthy'>, string>> = {
  failing:
    'Nothing is lost: events wait and are tried again until the retry window ends. What fails then can be replayed. Look at the last error of each URL below.',
  degraded: 'Most events get through. Look at the last error of each URL below.',
  idle: 'Either no call came from its sources, or all of them were filtered.',
  off: 'What comes is recorded as filtered. Switch it on to deliver again; a replay of all events can bring back what was missed.',
};

const COLORS = { failing: 'red', degraded: 'yellow', idle: 'gray', off: 'gray' } as const;

/** Why a destination is not healthy, and what that means; nothing where it is. */
export function HealthNote({ health, reason }: Pick<OverviewDestination, 'health' | 'reason'>): ReactElement | null {
  if (health === 'healthy') return null;
  const Icon = health === 'failing' || health === 'degraded' ? IconAlertTriangle : IconInfoCircle;
  return (
    <Alert color={COLORS[health]} variant="light" title={reason} icon={<Icon aria-hidden />}>
      {NEXT[health]}
    </Alert>
  );
}
