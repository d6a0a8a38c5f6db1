import { Card } from '@mantine/core';
import { IconUserQuestion } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { peopleApi } from '../../api/people.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { count } from '../../format/number.ts';

/** What may be behind an id that nobody is known by. */
export function UnknownPerson({ id }: { readonly id: string }): ReactElement {
  const { data: status } = useQuery(peopleApi.status());
  return (
    <Card padding={0}>
      <EmptyState
        icon={IconUserQuestion}
        title="Nobody is known by this id"
        action={
          <ButtonLink to="/people" search={{ text: id.slice(0, 3) }} variant="default">
            Search for ids that begin alike
          </ButtonLink>
        }
      >
        No call with it has been taken in, or the person was deleted. Ids are compared whole, upper and lower case
        included. {status && status.lag > 0 && `${count(status.lag)} accepted calls are still to be taken in. `}
        {status?.rebuilding != null && 'The profiles are being rebuilt. '}
        <AnchorLink to="/messages" search={{ userId: id }} inherit underline="always">
          Look among the messages
        </AnchorLink>{' '}
        whether anything with this user id was accepted.
      </EmptyState>
    </Card>
  );
}
