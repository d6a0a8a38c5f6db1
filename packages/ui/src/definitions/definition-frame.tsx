import { Code } from '@mantine/core';
import { IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ButtonLink } from '../components/button-link.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { DeleteButton } from '../components/delete-button.tsx';
import { count } from '../format/number.ts';
import { useMayChange, useMayLook } from '../shell/session.ts';
import { ThingPage } from '../shell/thing-page.tsx';
import { DefinitionState } from './definition-state.tsx';
import type { Defined, OfKind, ShownKind } from './kinds.ts';

/** The page of one audience or trait; its parts are tabs with an address of their own. */
export function DefinitionFrame<Thing extends Defined>({ kind }: { readonly kind: ShownKind<Thing> }): ReactElement {
  const { id = '' } = useParams({ strict: false });
  const query = useQuery(kind.api.one(id));
  const of = query.data;
  const mayChange = useMayChange();
  const mayLook = useMayLook();
  const tabs = kind.tabs(id);
  return (
    <ThingPage
      kind={kind}
      id={id}
      query={query}
      badge={of && <DefinitionState {...of} />}
      description={
        of && (
          <>
            Key <Code>{of.key}</Code>
          </>
        )
      }
      actions={
        of &&
        mayChange && (
          <>
            <ButtonLink to={kind.edit} params={{ id }} leftSection={<IconPencil size={16} aria-hidden />}>
              Edit
            </ButtonLink>
            <SyncButton kind={kind} of={of} />
            <DeleteButton
              kind={kind}
              of={of}
              remove={kind.api.remove()}
              label="Delete"
              icon={<IconTrash size={16} aria-hidden />}
            >
              Its definition and its source are deleted, and what still waits of its calls is recorded as filtered. No
              call is sent for its {count(of.size)} {kind.members}: receivers keep the last <code>{of.key}</code> they
              got.
            </DeleteButton>
          </>
        )
      }
      tabs={mayLook ? tabs : tabs.slice(0, 1)}
    />
  );
}

/** Tells of everybody again, for receivers that were connected later or lost what they knew. */
function SyncButton({ kind, of: { id, name, size, state, destinationIds } }: OfKind): ReactElement {
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
