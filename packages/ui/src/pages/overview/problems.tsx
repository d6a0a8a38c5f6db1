import { Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, Suspense } from 'react';
import type { Overview, OverviewProblem } from '../../../../server/src/admin/contract.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { ThingLink } from '../../components/thing-link.tsx';
import { Time } from '../../components/time.tsx';
import { count, many } from '../../format/number.ts';
import { lazyPart } from '../../lazy.ts';
import { useMayLook } from '../../shell/session.ts';
import { toThing } from '../../shell/things.ts';

const LossesNote = lazyPart(async () => (await import('./losses-note.tsx')).LossesNote);

interface ProblemsProps {
  /** Undefined while it loads. */
  readonly overview: Overview | undefined;
  /** True if the last request got no answer: the data may be outdated. */
  readonly isOld: boolean;
}

/** The current problems, most severe first. If there are none, what was checked, and when. */
export function Problems({ overview, isOld }: ProblemsProps): ReactElement {
  return (
    <Card component="section" aria-labelledby="problems">
      <Title id="problems" mb="xs">
        What is wrong
      </Title>
      {overview ? <Found overview={overview} isOld={isOld} /> : <Skeleton height={48} />}
    </Card>
  );
}

function Found({ overview, isOld }: { readonly overview: Overview; readonly isOld: boolean }): ReactElement {
  const { problems, destinations } = overview;
  // A loss is shown with its own text and button.
  const isLoss = ({ kind, id }: Overview['problems'][number]): boolean => kind === 'service' && id === 'losses';
  const rows = problems.filter((problem) => !isLoss(problem));
  return (
    <>
      {problems.some(isLoss) && (
        <Suspense>
          <LossesNote />
        </Suspense>
      )}
      {rows.length > 0 && (
        <Stack component="ul" gap={8}>
          {rows.map((problem) => (
            <ProblemRow key={`${problem.kind} ${problem.id}`} problem={problem} destinations={destinations} />
          ))}
        </Stack>
      )}
      {problems.length === 0 && !isOld && (
        <Group gap={6} c="var(--millrace-good)">
          <IconCircleCheck size={18} aria-hidden />
          <Text fw={600}>Nothing is wrong</Text>
        </Group>
      )}
      <Checked {...overview} />
    </>
  );
}

function Checked({ at, destinations, sources, checks }: Overview): ReactElement {
  return (
    <Text variant="aside" mt={6}>
      Checked <Time at={at} />: {many(destinations.length, 'destination')}, refused calls of{' '}
      {many(sources.length, 'source')} and of unknown write keys, replays of the last 24 hours, and of this service:{' '}
      {checks.join(', ')}.
    </Text>
  );
}

interface ProblemRowProps {
  readonly problem: OverviewProblem;
  readonly destinations: Overview['destinations'];
}

/** A problem, its reason and its start. Its name leads to the page that solves it. */
function ProblemRow({ problem, destinations }: ProblemRowProps): ReactElement {
  const { kind, severity, id, name, title, cause, advice, since, incidentId } = problem;
  const isPaused = kind === 'destination' && cause === null;
  const link = linkTo(problem, useMayLook());
  const waits =
    kind === 'destination'
      ? destinations.find((each) => each.id === id && each.paused === null && each.counts.waiting > 0)
      : undefined;
  return (
    <li
      style={{
        padding: '8px 12px',
        borderLeft: `3px solid var(--millrace-${severity === 'failing' ? 'bad' : 'warn'})`,
      }}
    >
      <Group gap="xs" align="baseline">
        <StatusBadge tone={TONES[severity]}>{severity}</StatusBadge>
        <AnchorLink {...link} fw={600}>
          {kind === 'service' ? `This service: ${name}` : name}
        </AnchorLink>
        <Text style={{ overflowWrap: 'anywhere' }}>{title}</Text>
        {incidentId !== null && kind !== 'incident' && <ThingLink kind="incident" id={incidentId} name="Incident" />}
      </Group>
      {(cause !== null || advice !== null || since !== null || waits) && (
        <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {cause !== null && `${cause}. `}
          {advice !== null && `${advice} `}
          {since !== null && (
            <>
              {incidentId === null && !isPaused ? BEGINNING[kind] : 'Begun'} <Time at={since} />.{' '}
            </>
          )}
          {waits && waiting(waits)}
        </Text>
      )}
    </li>
  );
}

const TONES = { failing: 'bad', degraded: 'warn', paused: 'off' } as const;

const BEGINNING: Readonly<Record<OverviewProblem['kind'], string>> = {
  destination: 'First in this hour',
  rejections: 'First',
  replay: 'Begun',
  service: 'Begun',
  incident: 'Begun',
};

function waiting({ counts, oldestWaitingAt }: Overview['destinations'][number]): ReactNode {
  return (
    <>
      {count(counts.waiting)} {counts.waiting === 1 ? 'event waits' : 'events wait'}; the oldest came{' '}
      <Time at={oldestWaitingAt} />.
    </>
  );
}

function linkTo({ kind, id }: OverviewProblem, mayLook: boolean): LinkProps {
  switch (kind) {
    case 'replay':
      return mayLook ? { to: '/destinations/$id/failed', params: { id } } : toThing('destination', id);
    case 'rejections':
      return id === '' ? { to: '/sources' } : toThing('source', id);
    case 'service':
      return { to: '/settings' };
    default:
      return toThing(kind, id);
  }
}
