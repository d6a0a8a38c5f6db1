import { Code, Skeleton } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { type ReactElement, Suspense } from 'react';
import { isMissing } from '../api/problem.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import { ButtonLink } from '../components/button-link.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { TabLinks } from '../components/tab-links.tsx';
import { capitalized } from '../format/capitalized.ts';
import { NotFound } from '../shell/not-found-page.tsx';
import { useMayChange, useMayLook } from '../shell/session.ts';
import { DefinitionState } from './definition-state.tsx';
import { DeleteButton } from './delete-button.tsx';
import type { Defined, ShownKind } from './kinds.ts';
import { SyncButton } from './sync-button.tsx';

/** The page of one audience or trait; its parts are tabs with an address of their own. */
export function DefinitionFrame<Thing extends Defined>({ kind }: { readonly kind: ShownKind<Thing> }): ReactElement {
  const { id = '' } = useParams({ strict: false });
  const { data: of, error, refetch } = useQuery(kind.api.one(id));
  const mayChange = useMayChange();
  const mayLook = useMayLook();
  const tabs = kind.tabs(id);
  if (isMissing(error)) {
    return (
      <NotFound
        what={kind.noun}
        id={id}
        all={<ButtonLink to={kind.list}>All {kind.plural.toLowerCase()}</ButtonLink>}
      />
    );
  }
  return (
    <>
      <PageHeader
        back={
          <AnchorLink to={kind.list} size="sm">
            {kind.plural}
          </AnchorLink>
        }
        title={of?.name ?? capitalized(kind.noun)}
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
              <DeleteButton kind={kind} of={of} />
            </>
          )
        }
      />
      <TabLinks label={`Parts of the ${kind.noun}`} tabs={mayLook ? tabs : tabs.slice(0, 1)} />
      {of ? (
        <Suspense fallback={<Skeleton height={420} />}>
          <Outlet />
        </Suspense>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={420} />
      )}
    </>
  );
}
