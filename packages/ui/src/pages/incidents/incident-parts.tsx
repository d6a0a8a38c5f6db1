import { Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Incident } from '../../../../server/src/admin/contract.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { shortened } from '../../format/shortened.ts';

export function IncidentState({ state, snoozedUntil }: Incident): ReactElement {
  if (state === 'ended') return <StatusBadge tone="good">ended</StatusBadge>;
  return (
    <Group gap={6}>
      <StatusBadge tone="bad">open</StatusBadge>
      {snoozedUntil !== null && (
        <Text variant="aside">
          snoozed until <Time at={snoozedUntil} minutes />
        </Text>
      )}
    </Group>
  );
}

/** The page of what it happened at. */
export function SubjectLink({ kind, id, name }: Incident['subject']): ReactElement {
  if (kind === 'service') {
    return <AnchorLink to="/settings">This service</AnchorLink>;
  }
  return kind === 'destination' ? (
    <AnchorLink to="/destinations/$destinationId" params={{ destinationId: id }}>
      {name}
    </AnchorLink>
  ) : (
    <AnchorLink to="/sources/$sourceId" params={{ sourceId: id }}>
      {name}
    </AnchorLink>
  );
}

/** The trace of a message that failed or waits, with its error. */
export function SampleLink({ sample }: Pick<Incident, 'sample'>): ReactElement | null {
  if (sample === null) return null;
  const { messageId, sourceId, error } = sample;
  return (
    <>
      <AnchorLink to="/messages/$messageId" params={{ messageId }} search={{ source: sourceId }}>
        {shortened(messageId)}
      </AnchorLink>
      {error !== null && (
        <Text variant="aside" style={{ overflowWrap: 'anywhere' }}>
          {error}
        </Text>
      )}
    </>
  );
}
