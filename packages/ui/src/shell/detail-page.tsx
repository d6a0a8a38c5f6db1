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
  /** The id in the address. */
  readonly id: string;
  /** After an error, the data loaded before stays below the error. */
  readonly query: { readonly data: Thing | undefined; readonly error: Error | null; readonly refetch: () => unknown };
  /** Explains why the id may not exist, if there is more to say. */
  readonly missing?: ReactNode;
  /** Shown above the content: tabs. */
  readonly above?: ReactNode;
  /** Height of the placeholder while it loads, in px. Default 420. */
  readonly height?: number;
  readonly children: (thing: Thing) => ReactNode;
}

/** The page of one thing of a list, by its id: the link back, and the thing, or why it can't be shown. */
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

/** The page of one thing with a name. Its tabs have their own addresses, and are shown once the thing is loaded. */
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
