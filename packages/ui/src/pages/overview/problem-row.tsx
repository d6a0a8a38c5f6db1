import { Group, Text } from '@mantine/core';
import { type LinkProps, linkOptions } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { Overview, OverviewProblem } from '../../../../server/src/admin/contract.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { useMayLook } from '../../shell/session.ts';
import classes from './problems.module.css';

interface ProblemRowProps {
  readonly problem: OverviewProblem;
  readonly destinations: Overview['destinations'];
}

/** What is wrong, why and since when; its name leads to where it is mended. */
export function ProblemRow({ problem, destinations }: ProblemRowProps): ReactElement {
  const { kind, severity, id, name, title, cause, advice, since, incidentId } = problem;
  const link = linkTo(problem, useMayLook());
  const waits =
    kind === 'destination'
      ? destinations.find((each) => each.id === id && each.paused === null && each.counts.waiting > 0)
      : undefined;
  return (
    <li className={classes['problem']} data-severity={severity}>
      <Group gap="xs" align="baseline">
        <StatusBadge tone={TONES[severity]}>{severity}</StatusBadge>
        <AnchorLink {...link} fw={600}>
          {kind === 'service' ? `This service: ${name}` : name}
        </AnchorLink>
        <Text style={{ overflowWrap: 'anywhere' }}>{title}</Text>
        {incidentId !== null && kind !== 'incident' && (
          <AnchorLink to="/incidents/$incidentId" params={{ incidentId }}>
            Incident
          </AnchorLink>
        )}
      </Group>
      {(cause !== null || advice !== null || since !== null || waits) && (
        <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {cause !== null && `${cause}. `}
          {advice !== null && `${advice} `}
          {since !== null && (
            <>
              {incidentId === null ? SINCE[kind] : 'Since'} <Time at={since} />.{' '}
            </>
          )}
          {waits && waiting(waits)}
        </Text>
      )}
    </li>
  );
}

const TONES = { failing: 'bad', degraded: 'warn', paused: 'off' } as const;

const SINCE: Readonly<Record<OverviewProblem['kind'], string>> = {
  destination: 'First in this hour',
  rejections: 'First',
  replay: 'Begun',
  service: 'Since',
  incident: 'Since',
};

function waiting({ counts, oldestWaitingAt }: Overview['destinations'][number]): ReactNode {
  return (
    <>
      {count(counts.waiting)} {counts.waiting === 1 ? 'event waits' : 'events wait'}, the oldest since{' '}
      <Time at={oldestWaitingAt} />.
    </>
  );
}

function linkTo({ kind, id }: OverviewProblem, mayLook: boolean): LinkProps {
  switch (kind) {
    case 'destination':
      return linkOptions({ to: '/destinations/$destinationId', params: { destinationId: id } });
    case 'replay':
      return linkOptions({
        to: mayLook ? '/destinations/$destinationId/failed' : '/destinations/$destinationId',
        params: { destinationId: id },
      });
    case 'rejections':
      return id === ''
        ? linkOptions({ to: '/sources' })
        : linkOptions({ to: '/sources/$sourceId', params: { sourceId: id } });
    case 'service':
      return linkOptions({ to: '/settings' });
    case 'incident':
      return linkOptions({ to: '/incidents/$incidentId', params: { incidentId: id } });
    default:
      return kind satisfies never;
  }
}
