import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { peopleApi } from '../api/people.ts';
import { StatCard } from '../components/stat-card.tsx';
import { Time } from '../components/time.tsx';
import { count, share } from '../format/number.ts';
import type { OfKind } from './kinds.ts';

const STATES = {
  live: 'every change is followed as it happens',
  computing: 'of all persons checked; changes are sent meanwhile',
  syncing: 'told again',
};

/** Its size, and how it stands with what it tells. */
export function Figures({ kind, of }: OfKind): ReactElement {
  const { data: status } = useQuery(peopleApi.status());
  const { size, state, progress, sentAt } = of;
  const waiting = status?.outbox;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="md">
      <StatCard
        label="Size"
        value={count(size)}
        note={
          status ? `${kind.members}, ${share(size, status.persons)} of ${count(status.persons)} persons` : kind.members
        }
      />
      <StatCard
        label="State"
        value={progress === null ? state : share(Math.floor(progress * 1_000), 1_000)}
        note={progress === null ? STATES[state] : `${state}: ${STATES[state]}`}
      />
      <StatCard
        label="Last sent"
        value={sentAt === null ? 'never' : <Time at={sentAt} />}
        note={sentAt === null ? 'no call was sent yet' : <Time at={sentAt} minutes />}
      />
      <StatCard
        label="Waiting to be sent"
        value={waiting === undefined ? undefined : count(waiting)}
        note="of all audiences and traits"
      />
    </SimpleGrid>
  );
}
