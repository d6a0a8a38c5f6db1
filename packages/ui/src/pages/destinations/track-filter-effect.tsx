import { Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { TrackFilter } from '../../../../server/src/admin/contract.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import classes from './track-filter.module.css';

interface TrackFilterEffectProps {
  readonly filter: TrackFilter;
  /** Names of events that came lately. */
  readonly recent: readonly string[];
}

/** What the filter would have done with the events that came lately. */
export function TrackFilterEffect({ filter, recent }: TrackFilterEffectProps): ReactElement | null {
  if (recent.length === 0) return null;
  return (
    <div>
      <Text c="dimmed" mb={6}>
        Of the events that came lately:
      </Text>
      <Group gap={8} component="ul" className={classes['names'] ?? ''}>
        {recent.map((name) => {
          const passes = filter.events.includes(name) === (filter.mode === 'allow');
          return (
            <li key={name}>
              <span>{name}</span>
              <StatusBadge tone={passes ? 'good' : 'off'}>{passes ? 'delivered' : 'left out'}</StatusBadge>
            </li>
          );
        })}
      </Group>
    </div>
  );
}
