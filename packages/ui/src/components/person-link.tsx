import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { PersonName } from '../../../server/src/admin/contract.ts';
import { shortened } from '../format/shortened.ts';
import { ThingLink } from './thing-link.tsx';

/** A link to a person, by user id; by any other id if no call gave the person a user id. */
export function PersonLink({ id, userId }: Pick<PersonName, 'id' | 'userId'>): ReactElement {
  return (
    <>
      <ThingLink kind="person" id={id} name={shortened(userId ?? id)} fw={500} />
      {userId === null && (
        <Text span variant="aside">
          {' '}
          anonymous
        </Text>
      )}
    </>
  );
}
