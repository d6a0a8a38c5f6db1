import { Card, Group, Skeleton, Text, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { type ReactElement, Suspense } from 'react';
import type { Overview } from '../../../../server/src/admin/contract.ts';
import { Time } from '../../components/time.tsx';
import { many } from '../../format/number.ts';
import { lazyPart } from '../../lazy-part.ts';
import { ProblemRow } from './problem-row.tsx';

const LossesNote = lazyPart(async () => (await import('./losses-note.tsx')).LossesNote);

interface ProblemsProps {
  /** Undefined while it is on its way. */
  readonly overview: Overview | undefined;
  /** Did the last question get no answer: what is known may be over. */
  readonly isOld: boolean;
}

/** What is wrong, gravest first; and where nothing is, what was looked at and when. */
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
  // A loss has words and a button of its own.
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
        <ul>
          {rows.map((problem) => (
            <ProblemRow key={`${problem.kind} ${problem.id}`} problem={problem} destinations={destinations} />
          ))}
        </ul>
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
