import { Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Person } from '../../../../server/src/admin/contract.ts';
import { PersonLink } from '../../components/person-link.tsx';
import { SourceName } from '../../components/source-name.tsx';
import { Time } from '../../components/time.tsx';
import classes from './person.module.css';

const WHY: Readonly<Record<Person['notJoined'][0]['why'], string>> = {
  user: "another user's id: only an alias of a server source joins two users",
  unknown: 'no call had carried it before',
  limit: 'this person has as many ids as one may have',
};

/** Ids that calls named beside the person's and that stayed apart. */
export function NotJoined({ items }: { readonly items: Person['notJoined'] }): ReactElement | null {
  if (items.length === 0) return null;
  return (
    <>
      <Title order={3} size="h5" mt="md" id="not-joined">
        Not joined
      </Title>
      <ul className={classes['list']} aria-labelledby="not-joined">
        {items.map(({ id, sourceId, why, at }) => (
          <li key={id}>
            <div>
              {why === 'unknown' ? (
                <Text style={{ overflowWrap: 'anywhere' }}>{id}</Text>
              ) : (
                <PersonLink id={id} userId={id} />
              )}
              <Text size="xs" c="dimmed">
                {WHY[why]}
              </Text>
            </div>
            <Text size="xs" c="dimmed">
              <SourceName id={sourceId} />, <Time at={at} />
            </Text>
          </li>
        ))}
      </ul>
    </>
  );
}
