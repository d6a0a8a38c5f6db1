import { IconUserX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Person } from '../../../../server/src/admin/contract.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { IdleButton } from '../../components/idle-button.tsx';
import { useMayChange } from '../../shell/session.ts';

/** Leads to a deletion with the person's user ids in it. Only users can be deleted: destinations are told a user id. */
export function DeletePerson({ person: { identities } }: { readonly person: Person }): ReactElement | null {
  const userIds = identities.flatMap(({ id, userIdSince }) => (userIdSince === null ? [] : [id]));
  if (!useMayChange()) return null;
  if (userIds.length === 0) {
    return (
      <IdleButton
        idle
        why="No call has given this person a user id: there is none that a deletion could name"
        variant="default"
      >
        Delete this person
      </IdleButton>
    );
  }
  return (
    <ButtonLink
      to="/deletions/new"
      state={{ deletionOf: userIds }}
      variant="subtle"
      color="red"
      leftSection={<IconUserX size={16} aria-hidden />}
    >
      Delete this person
    </ButtonLink>
  );
}
