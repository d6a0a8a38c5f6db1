import { Skeleton } from '@mantine/core';
import { upperFirst } from '@mantine/hooks';
import { Outlet } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, Suspense } from 'react';
import { isMissing } from '../api/problem.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { PageHeader, type PageHeaderProps } from '../components/page-header.tsx';
import { type TabLink, TabLinks } from '../components/tab-links.tsx';
import { type Listed, NotFound } from './not-found-page.tsx';

export interface DetailPageProps<Thing> extends PageHeaderProps {
  readonly kind: Listed;
  /** As the address has it. */
  readonly id: string;
  /** What was known before an error stays, below the error. */
  readonly query: { readonly data: Thing | undefined; readonly error: Error | null; readonly refetch: () => unknown };
  /** Why nothing may have the id, where there is more to say. */
  readonly missing?: ReactNode;
  /** Above what was found: tabs. */
  readonly above?: ReactNode;
  /** px, of what stands there until it is found; default 420. */
  readonly height?: number;
  readonly children: (thing: Thing) => ReactNode;
}

/** The page of one thing of a list, from its id: the way back, the thing, or why it can't be shown. */
export function DetailPage<Thing>(props: DetailPageProps<Thing>): ReactElement {
  const { kind, id, query, missing, above, height = 420, children, ...header } = props;
  const { data, error, refetch } = query;
  if (isMissing(error)) {
    return (
      <NotFound kind={kind} id={id}>
        {missing}
      </NotFound>
    );
  }
  return (
    <>
      <PageHeader back={<AnchorLink to={kind.list}>{kind.plural}</AnchorLink>} {...header} />
      {above}
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data ? children(data) : !error && <Skeleton height={height} />}
    </>
  );
}

interface ThingPageProps extends Omit<DetailPageProps<{ readonly name: string }>, 'title' | 'above' | 'children'> {
  readonly tabs: readonly TabLink[];
}

/** The page of one thing with a name; its parts are tabs with an address of their own, shown once the thing is there. */
export function ThingPage({ tabs, ...props }: ThingPageProps): ReactElement {
  const { kind, query } = props;
  return (
    <DetailPage
      {...props}
      title={query.data?.name ?? upperFirst(kind.noun)}
      above={<TabLinks label={`Parts of the ${kind.noun}`} tabs={tabs} />}
    >
      {() => (
        <Suspense fallback={<Skeleton height={420} />}>
          <Outlet />
        </Suspense>
      )}
    </DetailPage>
  );
}
