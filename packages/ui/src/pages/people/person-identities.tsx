import { Card, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Person, PersonIdentity } from '../../../../server/src/admin/contract.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Time } from '../../components/time.tsx';
import classes from './person.module.css';

/** Everything calls have named the person by; the id they are spoken to by is marked. */
export function PersonIdentities({ person }: { readonly person: Person }): ReactElement {
  const rank = ({ id, userIdSince }: PersonIdentity): number =>
    id === person.userId ? 0 : userIdSince === null ? 2 : 1;
  return (
    <Card component="section" aria-labelledby="identities">
      <Title order={2} id="identities" mb={4}>
        Identities
      </Title>
      <ul className={classes['list']}>
        {[...person.identities]
          .sort((a, b) => rank(a) - rank(b))
          .map(({ id, userIdSince }) => (
            <li key={id}>
              <div>
                <Text size="sm" fw={id === person.userId ? 600 : 400} style={{ overflowWrap: 'anywhere' }}>
                  {id}
                </Text>
                <Text size="xs" c="dimmed">
                  {userIdSince === null ? (
                    'anonymous id'
                  ) : (
                    <>
                      user id since <Time at={userIdSince} absolute />
                      {id === person.userId && ', the one that destinations are told'}
                    </>
                  )}
                </Text>
              </div>
              <CopyButton value={id} of="the id" />
            </li>
          ))}
      </ul>
    </Card>
  );
}
