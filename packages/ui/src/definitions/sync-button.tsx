import { IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { count } from '../format/number.ts';
import type { OfKind } from './kinds.ts';

/** Tells of everybody again, for receivers that were connected later or lost what they knew. */
export function SyncButton({ kind, of: { id, name, size, state, destinationIds } }: OfKind): ReactElement {
  const sync = useMutation(kind.api.sync());
  const to = destinationIds.length;
  return (
    <ConfirmButton
      label="Sync again"
      button={{
        leftSection: <IconRefresh size={16} aria-hidden />,
        idle: state !== 'live',
        why: `It is ${state}: wait until that is done`,
      }}
      title={`Sync “${name}” again?`}
      action="Send the calls"
      onConfirm={() => sync.mutateAsync(id)}
    >
      One identify call is sent for each of the {kind.members} who has a user id: {count(size)} at most,{' '}
      {to === 0
        ? 'and no destination is connected that would get them'
        : `to ${to === 1 ? 'one destination' : `each of ${to} destinations`}`}
      . No call is sent for persons who are out.
    </ConfirmButton>
  );
}
