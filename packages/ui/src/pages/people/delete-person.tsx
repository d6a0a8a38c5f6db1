import { IconUserX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Person } from '../../../../server/src/admin/contract.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { useMayChange } from '../../shell/session.ts';

/** Leads to a deletion with the person's user ids in it; of a visitor, to whom no call has given one, with all ids. */
export function DeletePerson({ person: { identities } }: { readonly person: Person }): ReactElement | null {
  const userIds = identities.filter(({ userIdSince }) => userIdSince !== null);
  const named = userIds.length > 0 ? userIds : identities;
  if (!useMayChange()) return null;
  return (
    <ButtonLink
      to="/deletions/new"
      state={{ deletionOf: named.map(({ id }) => id) }}
      variant="subtle"
      color="red"
      leftSection={<IconUserX size={16} aria-hidden />}
    >
      Delete this person
    </ButtonLink>
  );
}
