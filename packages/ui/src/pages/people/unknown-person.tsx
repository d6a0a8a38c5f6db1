import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { peopleApi } from '../../api/people.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { count } from '../../format/number.ts';

/** What may be behind an id that no person is known by. */
export function UnknownPerson({ id }: { readonly id: string }): ReactElement {
  const { data: status } = useQuery(peopleApi.status());
  return (
    <>
      No call with it has been taken in, or the person was deleted. Ids are compared whole, upper and lower case
      included. {status && status.lag > 0 && `${count(status.lag)} accepted calls are still to be taken in. `}
      {status?.rebuilding != null && 'The profiles are being rebuilt. '}
      <AnchorLink to="/people" search={{ text: id.slice(0, 3) }} inherit underline="always">
        Search for ids that begin alike
      </AnchorLink>
      , or{' '}
      <AnchorLink to="/messages" search={{ userId: id }} inherit underline="always">
        look among the messages
      </AnchorLink>{' '}
      whether anything with this user id was accepted.
    </>
  );
}
