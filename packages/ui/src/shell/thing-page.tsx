import { Skeleton } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, Suspense } from 'react';
import { isMissing } from '../api/problem.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import { ButtonLink } from '../components/button-link.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { type TabLink, TabLinks } from '../components/tab-links.tsx';
import { capitalized } from '../format/capitalized.ts';
import { NotFound } from './not-found-page.tsx';

interface ThingPageProps {
  /** `source` */
  readonly noun: string;
  /** `Sources` */
  readonly plural: string;
  readonly list: '/sources' | '/destinations' | '/audiences' | '/traits';
  readonly id: string;
  /** Undefined while it is on its way. */
  readonly of: { readonly name: string } | undefined;
  /** Shown above what was known before it. */
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly badge: ReactNode;
  readonly description: ReactNode;
  readonly actions: ReactNode;
  readonly tabs: readonly TabLink[];
}

/** The page of one thing; its parts are tabs with an address of their own. */
export function ThingPage(props: ThingPageProps): ReactElement {
  const { noun, plural, list, id, of, error, onRetry, badge, description, actions, tabs } = props;
  if (isMissing(error)) {
    return <NotFound what={noun} id={id} all={<ButtonLink to={list}>All {plural.toLowerCase()}</ButtonLink>} />;
  }
  return (
    <>
      <PageHeader
        back={<AnchorLink to={list}>{plural}</AnchorLink>}
        title={of?.name ?? capitalized(noun)}
        badge={badge}
        description={description}
        actions={actions}
      />
      <TabLinks label={`Parts of the ${noun}`} tabs={tabs} />
      {error && <ErrorState error={error} onRetry={onRetry} />}
      {of ? (
        <Suspense fallback={<Skeleton height={420} />}>
          <Outlet />
        </Suspense>
      ) : (
        !error && <Skeleton height={420} />
      )}
    </>
  );
}
