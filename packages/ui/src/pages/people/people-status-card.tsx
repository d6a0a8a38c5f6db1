import { Card, Group, Progress, Skeleton, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { PeopleStatus } from '../../../../server/src/admin/contract.ts';
import { peopleApi } from '../../api/people.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { count, many, share } from '../../format/number.ts';
import { useMayChange } from '../../shell/session.ts';

/** How it stands with profiles, live, and building them again. */
export function PeopleStatusCard(): ReactElement {
  const { data: status, error, refetch } = useQuery(peopleApi.status());
  const mayChange = useMayChange();
  const rebuild = useMutation(peopleApi.rebuild());
  if (!status) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton height={60} />;
  const { persons, rebuilding } = status;
  return (
    <Card component="section" aria-label="State of the profiles" py="sm">
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Standing {...status} />
          <Text>
            <b>{count(persons)}</b> {persons === 1 ? 'person' : 'persons'}
          </Text>
          <Text c="dimmed">{todoInWords(status)}</Text>
        </Group>
        {mayChange && (
          <ConfirmButton
            label="Rebuild"
            button={{ size: 'xs', disabled: rebuilding !== null }}
            title={`Rebuild the profiles of ${many(persons, 'person')}?`}
            action="Rebuild the profiles"
            typeFirst="rebuild"
            onConfirm={() => rebuild.mutateAsync()}
          >
            All profiles are forgotten and read again from the log. <b>What the log no longer holds is lost:</b> traits
            and events older than the retention. Audiences and computed traits stand still until the log is read; then
            what differs from before is told to destinations, but nothing of persons whom the log no longer holds.
            Deliveries go on meanwhile.
          </ConfirmButton>
        )}
      </Group>
      {rebuilding !== null && <Progress mt="sm" value={100 * rebuilding} aria-label="How much of the log is read" />}
    </Card>
  );
}

function Standing({ rebuilding, lag }: PeopleStatus): ReactElement {
  if (rebuilding !== null) return <StatusBadge tone="busy">rebuilding, {share(rebuilding, 1)}</StatusBadge>;
  return lag > 0 ? (
    <StatusBadge tone="busy">catching up</StatusBadge>
  ) : (
    <StatusBadge tone="good">up to date</StatusBadge>
  );
}

function todoInWords({ lag, outbox }: PeopleStatus): string {
  const parts = [
    lag === 0 ? 'every accepted call is taken in' : `${many(lag, 'call')} to be taken in`,
    outbox === 0 ? 'every change is told' : `${many(outbox, 'call')} to be told of changes`,
  ];
  return parts.join(', ');
}
