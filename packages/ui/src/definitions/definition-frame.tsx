import { Code, Skeleton } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, Suspense } from 'react';
import { isMissing } from '../api/problem.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import { ButtonLink } from '../components/button-link.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { type TabLink, TabLinks } from '../components/tab-links.tsx';
import { NotFound } from '../shell/not-found-page.tsx';
import { useMayChange, useMayLook } from '../shell/session.ts';
import { DefinitionState } from './definition-state.tsx';
import { DeleteButton } from './delete-button.tsx';
import type { Defined, DefinitionKind } from './kinds.ts';
import { SyncButton } from './sync-button.tsx';

interface DefinitionFrameProps {
  readonly kind: DefinitionKind;
  readonly id: string;
  /** Undefined while it is on its way. */
  readonly of: Defined | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** A button that leads to the editor. */
  readonly edit: ReactNode;
  /** The first says nothing of persons; the others are for who may see that. */
  readonly tabs: readonly TabLink[];
}

/** The page of one audience or trait; its parts are tabs with an address of their own. */
export function DefinitionFrame({ kind, id, of, error, onRetry, edit, tabs }: DefinitionFrameProps): ReactElement {
  const mayChange = useMayChange();
  const mayLook = useMayLook();
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
        title={of?.name ?? kind.noun.replace(/^./, (first) => first.toUpperCase())}
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
              {edit}
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
        <ErrorState error={error} onRetry={onRetry} />
      ) : (
        <Skeleton height={420} />
      )}
    </>
  );
}
