import { Code } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ButtonLink } from '../components/button-link.tsx';
import { DeleteButton } from '../components/delete-button.tsx';
import { count } from '../format/number.ts';
import { useMayChange, useMayLook } from '../shell/session.ts';
import { ThingPage } from '../shell/thing-page.tsx';
import { DefinitionState } from './definition-state.tsx';
import type { Defined, ShownKind } from './kinds.ts';
import { SyncButton } from './sync-button.tsx';

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
