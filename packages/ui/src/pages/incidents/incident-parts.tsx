import { Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Incident } from '../../../../server/src/admin/contract.ts';
import { ALERT_RULES } from '../../../../server/src/alerts/rules.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { ThingLink } from '../../components/thing-link.tsx';
import { Time } from '../../components/time.tsx';
import { count, duration, many } from '../../format/number.ts';
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

/** Says when an open incident, whose condition no longer holds, will end. Renders nothing for any other incident. */
export function QuietNote({ clearSince, endsAt }: Incident): ReactElement | null {
  if (clearSince === null) return null;
  return (
    <Text>
      That has not been so since <Time at={clearSince} minutes />. The incident ends <Time at={endsAt} /> if it stays
      like this.
    </Text>
  );
}

/** A link to the page of the incident's subject. */
export function SubjectLink({ kind, id, name }: Incident['subject']): ReactElement {
  if (kind === 'service') return <AnchorLink to="/settings">This service</AnchorLink>;
  return <ThingLink kind={kind} id={id} name={name} />;
}

/** A link to the trace of a failed or waiting message, with its error. A sample from an earlier version has no position. */
export function SampleLink({ sample }: Pick<Incident, 'sample'>): ReactElement | null {
  if (sample === null) return null;
  const { messageId, sourceId, position, error } = sample;
  const search = position === undefined ? { source: sourceId } : { position: String(position) };
  return (
    <>
      <AnchorLink to="/messages/$id" params={{ id: messageId }} search={search}>
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

/** A rule's measured value with its unit; null for a rule that measures nothing. */
export function measured(rule: Incident['rule'], value: number): string | null {
  const { unit } = ALERT_RULES[rule];
  switch (unit) {
    case 'milliseconds':
      return duration(value);
    case 'share':
      // In floating point, 0.29 × 100 is slightly less than 29.
      return `${Math.floor(Number((value * 100).toFixed(6)))}%`;
    case 'events':
      return count(value);
    case 'none':
      return null;
    default:
      return unit satisfies never;
  }
}

/** `5,693 wait, 31 attempts failed in 15 min`; null if neither number is known. */
export function numbersInWords(
  { subject }: Pick<Incident, 'subject'>,
  { waiting, failed }: Incident['numbers'],
): string | null {
  const what = subject.kind === 'source' ? 'call' : 'attempt';
  const parts = [
    waiting !== null && `${count(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`,
    failed !== null && `${many(failed, what)} ${what === 'call' ? 'refused' : 'failed'} in 15 min`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : parts.join(', ');
}
