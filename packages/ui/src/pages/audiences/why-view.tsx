import { Card, Group, Skeleton, Text, Title } from '@mantine/core';
import { IconUserQuestion } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Condition } from '../../../../server/src/admin/contract.ts';
import { audiencesApi } from '../../api/definitions.ts';
import { problemFrom } from '../../api/problem.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { ReasonTree } from '../../conditions/reason-tree.tsx';

interface WhyViewProps {
  readonly audienceId: string;
  /** Any of the person's ids. */
  readonly personId: string;
}

/** Why a person is in an audience or not, condition by condition, at this moment. */
export function WhyView({ audienceId, personId }: WhyViewProps): ReactElement {
  const { data: why, error, refetch } = useQuery(audiencesApi.why(audienceId, personId));
  if (!why && error && problemFrom(error).status === 404) {
    return (
      <EmptyState icon={IconUserQuestion} title="There is no such person">
        No call with this id has been taken in, or the person was deleted. Ids are compared whole, upper and lower case
        included.
      </EmptyState>
    );
  }
  if (!why) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton height={200} />;
  const { reason } = why;
  return (
    <Card component="section" aria-label="Why">
      <Group gap="xs" mb={4}>
        <Title size="h3">
          <PersonLink id={personId} userId={personId} />
        </Title>
        <StatusBadge tone={reason.value ? 'good' : 'off'}>{reason.value ? 'in' : 'out'}</StatusBadge>
      </Group>
      <Text c="dimmed" mb="sm">
        {reason.changesAt === null ? (
          'Time alone changes nothing: only another call will.'
        ) : (
          <>
            Without another call that may change <Time at={reason.changesAt} />, when time has passed far enough.
          </>
        )}
      </Text>
      <ReasonTree condition={why.definition as Condition} reason={reason} />
    </Card>
  );
}
