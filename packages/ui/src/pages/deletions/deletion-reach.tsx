import { Alert, List, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { RegulationReach } from '../../../../server/src/admin/contract.ts';
import { many } from '../../format/number.ts';

/** So many persons with other user ids are named, and so many ids of each. */
const NAMED = 5;

/** Whom and how much a deletion reaches; other users among them stand out. */
export function DeletionReach({ reach }: { readonly reach: RegulationReach }): ReactElement {
  const { persons, ids, events, sources, others, unknown } = reach;
  const least = events.complete ? '' : 'at least ';
  return (
    <>
      <Text my="sm">
        It reaches {many(persons, 'known person')} with {many(ids, 'id')}, and {least}
        {many(events.found, 'event')} of {least}
        {many(sources.length, 'source')}.
      </Text>
      {unknown !== null && unknown.count > 0 && (
        <Alert
          color="yellow"
          mb="sm"
          title={`No person and no event has ${unknown.count === 1 ? 'this id' : `${many(unknown.count, 'id')} of these`}`}
        >
          <Text style={{ overflowWrap: 'anywhere' }}>
            {unknown.first.map((id) => `“${id}”`).join(', ')}
            {unknown.count > unknown.first.length && ` and ${many(unknown.count - unknown.first.length, 'other')}`}.
            Check the spelling: upper and lower case matter.
          </Text>
        </Alert>
      )}
      {others.length > 0 && (
        <Alert color="red" mb="sm" title="Other users are reached too">
          They are the same persons, and everything about them is deleted with these:
          <List size="sm" mt="xs">
            {others.slice(0, NAMED).map(({ userId, others: ids }) => (
              <List.Item key={userId} style={{ overflowWrap: 'anywhere' }}>
                “{userId}” is also{' '}
                {ids
                  .slice(0, NAMED)
                  .map((id) => `“${id}”`)
                  .join(', ')}
                {ids.length > NAMED && ` and ${many(ids.length - NAMED, 'other')}`}
              </List.Item>
            ))}
          </List>
          {others.length > NAMED && `And ${many(others.length - NAMED, 'person')} more.`}
        </Alert>
      )}
    </>
  );
}
